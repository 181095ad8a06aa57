// Package stream opens input by path, whether compressed or not, and writes output completely or not at all.
//
// # Input
//
// An [Input] may be read from its start as often as needed. It is plain, gzip or zstd, as its first bytes
// show; its name does not matter. The path "-" is standard input. An input that cannot be read twice
// (standard input,
// a named pipe, a process substitution) is copied to an unnamed temporary file in os.TempDir when it is
// opened, unless [Options.Once] promises that it will be read only once.
//
// A file that is written while it is read is an error, [ErrChanged], because the bytes may be neither its old
// content nor its new one.
//
// # Output
//
// [WriteFile] makes an output file that is complete, or none.
package stream

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"
	"syscall"

	"golang.org/x/term"

	"github.com/lambdamart/lambdamart/dataset"
)

var (
	// ErrDirectory means that a path is a folder where a file is needed.
	ErrDirectory = errors.New("it is a directory; name a file")
	// ErrDevice means that a path is a device, such as /dev/zero, that can be read without end.
	ErrDevice = errors.New("it is a device, which may have no end; name a file")
	// ErrTruncated means that compressed input ends before its end mark.
	ErrTruncated = errors.New("ends too early: the file is cut off; copy or make it again")
	// ErrCorrupt means that compressed input cannot be decompressed.
	ErrCorrupt = errors.New("damaged")
	// ErrChanged means that a file was written while it was read: its size or modification time has changed
	// since it was opened.
	ErrChanged = dataset.ErrChanged
	// ErrOnce means that input opened with Options.Once was read again.
	ErrOnce = errors.New("it can be read only once")
)

// Options are the options of an input. The zero value suits most uses.
type Options struct {
	// Once promises that Reader is called at most once and ReadAt never, so that standard input and
	// pipes need not be copied first.
	Once bool
}

// Input is an open file, pipe or standard input. Its methods may be called concurrently.
type Input struct {
	name   string
	file   *os.File
	opened fs.FileInfo // of a regular file: its size and time when it was opened
	size   int64       // bytes as stored; -1 if unknown
	format format
	pipe   io.Reader   // of an input that is read once: the file, including the first bytes
	begun  atomic.Bool // pipe has a Reader

	ahead *Reader // of an input that is read once, if Head was called
	head  []byte  // the bytes that Head has read of it
}

// Open opens the file at path, or standard input if path is "-". Close it after use.
func Open(path string, opts Options) (*Input, error) {
	in := &Input{name: path, file: os.Stdin, size: -1}
	if path == "-" {
		in.name = "standard input"
	} else { // a named pipe waits for a writer
		file, err := wait(func() (*os.File, error) { return os.Open(path) })
		if err != nil {
			return nil, in.fail(err)
		}
		in.file = file
	}
	if err := in.prepare(opts); err != nil {
		in.Close()
		return nil, err
	}
	return in, nil
}

// Exists returns the error of Open for a path at which nothing is. It opens nothing: pipes are read once.
func Exists(path string) error {
	if _, err := os.Stat(path); path != "-" && errors.Is(err, fs.ErrNotExist) {
		return (&Input{name: path}).fail(err)
	}
	return nil
}

// prepare detects the kind of the file and its compression.
func (in *Input) prepare(opts Options) error {
	info, err := in.file.Stat()
	if err != nil {
		return in.fail(err)
	}
	switch {
	case info.IsDir():
		return in.fail(ErrDirectory)
	case isEndless(in.file, info):
		return in.fail(ErrDevice)
	case in.atStart(info):
		in.size, in.opened = info.Size(), info
	case opts.Once:
		in.pipe, in.format, err = peekFormat(&waitingReader{file: in.file})
		return in.fail(err)
	default:
		if err := in.spool(); err != nil {
			return err
		}
	}
	_, in.format, err = peekFormat(io.NewSectionReader(in.file, 0, in.size))
	return in.fail(err)
}

// isEndless reports whether a file is a device other than the null device, which is empty, and a terminal,
// whose input a person ends.
func isEndless(f *os.File, info fs.FileInfo) bool {
	if info.Mode()&fs.ModeDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return !(err == nil && os.SameFile(info, null)) && !term.IsTerminal(int(f.Fd()))
}

// atStart reports whether the file can be read from any offset. Standard input may be a file whose beginning
// another program has read.
func (in *Input) atStart(info fs.FileInfo) bool {
	if !info.Mode().IsRegular() {
		return false
	}
	at, err := in.file.Seek(0, io.SeekCurrent)
	return err == nil && at == 0
}

// spool replaces the input's file by a copy that can be read again.
func (in *Input) spool() error {
	temp, err := Temporary()
	if err != nil {
		return fmt.Errorf("%s: copying it to a temporary file (TMPDIR chooses its folder): %w", in.name, err)
	}
	size, err := io.Copy(temp, &waitingReader{file: in.file})
	if err != nil {
		temp.Close()
		return fmt.Errorf("%s: copying it to a temporary file (TMPDIR chooses its folder): %w", in.name, err)
	}
	in.Close()
	in.file, in.size = temp, size
	return nil
}

// Name returns the path, or "standard input", for messages.
func (in *Input) Name() string { return in.name }

// Size returns the number of bytes as stored, or -1 if it is not known.
func (in *Input) Size() int64 { return in.size }

// Seekable reports whether ReadAt can be used: the bytes are not compressed.
func (in *Input) Seekable() bool { return in.format == plain && in.pipe == nil }

// ReadAt fills dst with the bytes from offset on. It returns io.EOF if there are fewer, as an io.ReaderAt
// does. The input must be Seekable. The error wraps [ErrChanged] if the file was written after it was opened.
func (in *Input) ReadAt(dst []byte, offset int64) (int, error) {
	n, err := in.file.ReadAt(dst, offset)
	switch {
	case err != nil && err != io.EOF:
		return n, in.fail(err)
	case in.written():
		return 0, in.fail(ErrChanged)
	}
	return n, err
}

// written reports whether a regular file was written after it was opened.
func (in *Input) written() bool {
	if in.opened == nil {
		return false
	}
	now, err := in.file.Stat()
	return err != nil || now.Size() != in.opened.Size() || !now.ModTime().Equal(in.opened.ModTime())
}

// Close releases the input. Its readers must not be used afterwards.
func (in *Input) Close() error {
	if in.file == os.Stdin {
		return nil
	}
	return in.file.Close()
}

// CloseAll closes all of a list, and returns the first error.
func CloseAll[C io.Closer](list []C) (first error) {
	for _, c := range list {
		if err := c.Close(); first == nil {
			first = err
		}
	}
	return first
}

// fail returns the error with the name of the input. It returns nil for nil.
func (in *Input) fail(err error) error {
	if err == nil {
		return nil
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	if errors.Is(err, syscall.EMFILE) {
		return fmt.Errorf("%s: %w: raise their number (ulimit -n)", in.name, err)
	}
	return fmt.Errorf("%s: %w", in.name, err)
}

// ErrForeign means that an input is compressed or encoded in a way that is not read.
var ErrForeign = errors.New("it is not read in this form")

// foreign are the beginnings of files that are not read, and what to do with them.
var foreign = []struct{ begin, what string }{
	{"BZh", "compressed by bzip2: decompress it, or compress it by gzip or zstd"},
	{"\xfd7zXZ\x00", "compressed by xz: decompress it, or compress it by gzip or zstd"},
	{"\x04\x22\x4d\x18", "compressed by lz4: decompress it, or compress it by gzip or zstd"},
	{"\xff\x06\x00\x00sNaPpY", "compressed by snappy: decompress it, or compress it by gzip or zstd"},
	{"\x1f\x9d", "compressed by compress: decompress it, or compress it by gzip or zstd"},
	{"PK\x03\x04", "a zip archive, as .xlsx and .npz files are: unpack it, or save it as CSV"},
	{"7z\xbc\xaf\x27\x1c", "a 7z archive: unpack it"},
	{"Rar!\x1a\x07", "a rar archive: unpack it"},
	{"\xff\xfe", "text in UTF-16, as PowerShell writes it: save it in UTF-8"},
	{"\xfe\xff", "text in UTF-16: save it in UTF-8"},
}

// longestForeign is the length of the longest beginning, and of what checkForeign looks at.
const longestForeign = 10

// checkForeign returns an error if a file begins in a form that is not read.
func checkForeign(head string) error {
	for _, f := range foreign {
		if strings.HasPrefix(head, f.begin) && (f.begin != "BZh" || isBzip2(head)) {
			return fmt.Errorf("%w: it is %s", ErrForeign, f.what)
		}
	}
	return nil
}

// isBzip2 reports whether BZh, which may begin text, begins a file of bzip2.
func isBzip2(head string) bool {
	return len(head) >= 10 && head[3] >= '1' && head[3] <= '9' &&
		(head[4:10] == "1AY&SY" || head[4:10] == "\x17rE8P\x90")
}
