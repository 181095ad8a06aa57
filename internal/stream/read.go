package stream

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrBomb means that compressed input expands to far more bytes than is plausible.
var ErrBomb = errors.New("it is compressed so strongly that it is not what it should be; decompress it " +
	"if it is")

// ReadFile opens the file at path, calls read with its decompressed content, without the byte order mark of
// UTF-8 text, and closes it. name is the name of the file for messages. The path "-" is standard input.
// Errors of [Open], [Input.Reader] and read are returned unchanged.
//
// It is for files that read keeps in memory: compressed content that is more than 200 times as large as the
// file is [ErrBomb], after the first 64 MiB.
func ReadFile(path string, read func(r io.Reader, name string) error) error {
	in, err := Open(path, Options{Once: true})
	if err != nil {
		return err
	}
	defer in.Close()
	return in.readBounded(read)
}

// Read is like [ReadFile], for a function that returns the content of the file.
func Read[T any](path string, read func(r io.Reader, name string) (T, error)) (v T, err error) {
	err = ReadFile(path, func(r io.Reader, name string) (err error) {
		v, err = read(r, name)
		return err
	})
	return v, err
}

// ReadChecked is like [ReadFile], for a read that needs more memory than the content. It first decompresses
// the content once without keeping it, so read never sees content that is [ErrBomb].
func ReadChecked(path string, read func(r io.Reader, name string) error) error {
	in, err := Open(path, Options{})
	if err != nil {
		return err
	}
	defer in.Close()
	if in.format != plain {
		err := in.readBounded(func(r io.Reader, _ string) error {
			_, err := io.Copy(io.Discard, r)
			return err
		})
		if err != nil {
			return err
		}
	}
	return in.readBounded(read)
}

// readBounded calls read with the decompressed content.
func (in *Input) readBounded(read func(r io.Reader, name string) error) error {
	r, err := in.Reader()
	if err != nil {
		return err
	}
	defer r.Close()
	r.most = growth{times: 200, free: 64 << 20} // text of models shrinks to a third or a tenth
	return read(WithoutMark(r), in.Name())
}

// growth bounds the bytes of decompressed content: so many times the bytes stored, and some that are free.
type growth struct{ times, free int64 }

// streamGrowth is for content that is not kept in memory. gzip expands by at most a factor of 1,032, but a
// few bytes of zstd can make terabytes, which would take days to read.
var streamGrowth = growth{times: 2048, free: 1 << 30}

// Checksum returns the size of a file, in bytes, and its SHA-256 in hexadecimal. It stops with the error of
// the context when the context is done.
func Checksum(ctx context.Context, path string) (size int64, sum string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	hash := sha256.New()
	size, err = io.Copy(hash, readerUntil{ctx, f})
	return size, fmt.Sprintf("%x", hash.Sum(nil)), err
}

// readerUntil reads until its context is done.
type readerUntil struct {
	ctx context.Context
	io.Reader
}

func (r readerUntil) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(b)
}

// Mark is the byte order mark that programs on Windows write before text in UTF-8.
const Mark = "\xef\xbb\xbf"

// ErrMark means that a text has such a mark within it, which would become a part of a name.
var ErrMark = errors.New("a byte order mark within the text, as joined files have it: remove it")

// WithoutMark returns a reader of text without its byte order mark, for which it reads the first bytes.
func WithoutMark(r io.Reader) io.Reader {
	text := bufio.NewReader(r)
	if head, _ := text.Peek(len(Mark)); string(head) == Mark { // an error comes again
		_, _ = text.Discard(len(Mark))
	}
	return text
}

// Cells returns a reader of a table: CSV, or TSV if the first line has a tab.
func Cells(r io.Reader) *csv.Reader {
	text := bufio.NewReader(r)
	lines := csv.NewReader(text)
	first, _ := text.Peek(text.Size()) // an error is found by reading
	if first, _, _ = bytes.Cut(first, []byte("\n")); bytes.ContainsRune(first, '\t') {
		lines.Comma = '\t'
	}
	return lines
}

// NextLine reads a line of a table and returns its number. An error about a line says what to do.
func NextLine(table *csv.Reader) (cells []string, line int, err error) {
	cells, err = table.Read()
	var fault *csv.ParseError
	switch {
	case err == nil:
		line, _ = table.FieldPos(0)
		return cells, line, nil
	case !errors.As(err, &fault):
		return nil, 0, err
	case errors.Is(fault.Err, csv.ErrFieldCount):
		err = fmt.Errorf("%w: %d, where the first line has %d; give each line a cell for each column, if only an "+
			"empty one", fault.Err, len(cells), table.FieldsPerRecord)
	default:
		err = fmt.Errorf("%w; put a text that has a quote into quotes, and write each quote in it twice", fault.Err)
	}
	return nil, fault.Line, err
}
