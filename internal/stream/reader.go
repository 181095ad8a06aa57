package stream

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// format is the compression of an input.
type format int

const (
	plain format = iota
	gzipped
	zstandard
)

func (f format) String() string { return [...]string{"plain", "gzip", "zstd"}[f] }

// maxWindow bounds the memory that a zstd stream may ask for. It is what the zstd program allows
// without its --long or --memory option.
const maxWindow = 1 << 27

// peekFormat returns the format that the first bytes show, and a reader that still has these bytes.
//
// gzip begins with 1f 8b (RFC 1952 §2.3.1), zstd with 28 b5 2f fd or a skippable frame, 5x 2a 4d 18 (RFC
// 8878 §3.1).
func peekFormat(r io.Reader) (*bufio.Reader, format, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	head, err := b.Peek(longestForeign)
	if err != nil && err != io.EOF {
		return nil, plain, err
	}
	if err := checkForeign(string(head)); err != nil {
		return nil, plain, err
	}
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return b, gzipped, nil
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}),
		len(head) >= 4 && head[0]&0xf0 == 0x50 && bytes.Equal(head[1:4], []byte{0x2a, 0x4d, 0x18}):
		return b, zstandard, nil
	}
	return b, plain, nil
}

// Reader reads an input from its start, decompressed.
type Reader struct {
	in       *Input
	from     io.Reader // decompressed bytes
	consumed atomic.Int64
	bytes    int64 // that were read
	most     growth
	close    func()
}

// Beginning returns the first n bytes of a regular file, or all if there are fewer. It is empty if the file
// cannot be read, and for "-".
func Beginning(path string, n int) string {
	if info, err := os.Stat(path); path == "-" || err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, n)
	n, _ = io.ReadFull(f, head)
	return string(head[:n])
}

// Head returns the first n decompressed bytes, or all if there are fewer. It must not be called while readers
// are in use. An input that is read once keeps these bytes for its Reader.
func (in *Input) Head(n int) ([]byte, error) {
	if in.pipe != nil {
		return in.lookAhead(n)
	}
	r, err := in.Reader()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, int64(n)))
}

func (in *Input) lookAhead(n int) (_ []byte, err error) {
	if in.ahead == nil {
		if in.ahead, err = in.newReader(); err != nil {
			return nil, err
		}
	}
	more, err := io.ReadAll(io.LimitReader(in.ahead, int64(max(0, n-len(in.head)))))
	in.head = append(in.head, more...)
	return in.head[:min(n, len(in.head))], err
}

// Reader returns a new reader at the start of the input. Its errors name the input. Close it after use.
func (in *Input) Reader() (*Reader, error) {
	if r := in.ahead; r != nil {
		in.ahead = nil
		r.from = io.MultiReader(bytes.NewReader(in.head), r.from)
		return r, nil
	}
	return in.newReader()
}

func (in *Input) newReader() (*Reader, error) {
	r := &Reader{in: in, most: streamGrowth, close: func() {}}
	stored := &countingReader{n: &r.consumed}
	if in.pipe != nil {
		if in.begun.Swap(true) {
			return nil, in.fail(ErrOnce)
		}
		stored.r = in.pipe
	} else {
		stored.r = io.NewSectionReader(in.file, 0, in.size)
	}
	if err := r.decompress(stored); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *Reader) decompress(stored io.Reader) error {
	switch r.in.format {
	case gzipped:
		z, err := newMembers(stored)
		if err != nil {
			return r.fail(err)
		}
		r.from, r.close = z, func() { z.member.Close() }
	case zstandard:
		z, err := zstd.NewReader(stored, zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return r.fail(err)
		}
		r.from, r.close = z, z.Close
	default:
		r.from = stored
	}
	return nil
}

// members reads gzip data, a sequence of members (RFC 1952 §2.2). compress/gzip could do that alone, but it
// accepts data that is cut off within the name in a member's header.
type members struct {
	stored *bufio.Reader
	member *gzip.Reader
}

func newMembers(stored io.Reader) (*members, error) {
	m := &members{stored: bufio.NewReader(stored)}
	var err error
	if m.member, err = gzip.NewReader(m.stored); err != nil {
		return nil, err
	}
	m.member.Multistream(false)
	return m, nil
}

func (m *members) Read(dst []byte) (int, error) {
	for {
		n, err := m.member.Read(dst)
		if err != io.EOF {
			return n, err
		}
		if n > 0 {
			return n, nil
		}
		if err := m.next(); err != nil {
			return 0, err
		}
	}
}

// next begins the next member. At the end it returns io.EOF.
func (m *members) next() error {
	if _, err := m.stored.Peek(1); err != nil {
		return err
	}
	err := m.member.Reset(m.stored)
	m.member.Multistream(false)
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Read reads decompressed bytes. At the end of a file that was written after it was opened,
// the error wraps [ErrChanged].
func (r *Reader) Read(dst []byte) (int, error) {
	n, err := r.from.Read(dst)
	switch {
	case err != nil && r.in.written():
		err = r.in.fail(ErrChanged)
	case err != nil && err != io.EOF:
		err = r.fail(err)
	}
	r.bytes += int64(n)
	if r.in.format != plain && r.bytes > r.most.free+r.most.times*r.Consumed() {
		return n, r.in.fail(ErrBomb)
	}
	return n, err
}

// Consumed returns the number of stored bytes that were read so far: with Input.Size it shows the
// progress. It may be called while another goroutine reads.
func (r *Reader) Consumed() int64 { return r.consumed.Load() }

// Close ends the reader. The input stays open.
func (r *Reader) Close() error {
	r.close()
	r.close = func() {}
	return nil
}

// fail returns an error with what is wrong with the input and, if it is compressed, where.
func (r *Reader) fail(err error) error {
	if r.in.format == plain {
		return r.in.fail(err)
	}
	at := fmt.Sprintf("the %s data, after %d stored bytes,", r.in.format, r.Consumed())
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return fmt.Errorf("%s: %s %w", r.in.name, at, ErrTruncated)
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return fmt.Errorf("%s: %s needs a window of more than %d MiB; compress it without --long",
			r.in.name, at, maxWindow>>20)
	}
	return fmt.Errorf("%s: %s is %w: %w", r.in.name, at, ErrCorrupt, err)
}

// countingReader counts the bytes that are read.
type countingReader struct {
	r io.Reader
	n *atomic.Int64
}

func (c *countingReader) Read(dst []byte) (int, error) {
	n, err := c.r.Read(dst)
	c.n.Add(int64(n))
	return n, err
}

// until is the context whose end ends all waiting.
var until atomic.Pointer[context.Context]

// Until makes inputs and outputs that wait for another program, or for a person at a terminal, end with the
// cause of ctx when it is canceled. Nothing else interrupts a call of the system that opens a pipe, reads
// from it or writes to it. The function that it returns undoes this, unless another call has replaced ctx
// since.
func Until(ctx context.Context) (undo func()) {
	until.Store(&ctx)
	return func() { until.CompareAndSwap(&ctx, nil) }
}

// wait calls f, which may wait forever. It returns early, with f still in progress, when waiting ends.
func wait[T any](f func() (T, error)) (T, error) {
	ctx := until.Load()
	if ctx == nil {
		return f()
	}
	return Await(*ctx, f)
}

// patience is for how long an output that begins after waiting has ended, such as the model of an interrupted
// training run, may wait for its reader: one that is there takes 64 KiB in less.
const patience = 5 * time.Second

var errUnread = errors.New("nothing reads it")

// waitToWrite is [wait] for outputs. After waiting has ended it has some patience, because the reader may be
// there.
func waitToWrite[T any](f func() (T, error)) (T, error) {
	ctx := until.Load()
	if ctx == nil || (*ctx).Err() == nil {
		return wait(f)
	}
	limited, cancel := context.WithTimeoutCause(context.Background(), patience,
		fmt.Errorf("%w: %w", errUnread, context.Cause(*ctx)))
	defer cancel()
	return Await(limited, f)
}

// Await calls f, which may take long and writes no files. If ctx is canceled, it returns early with the
// cause, with f still in progress: only a program that then ends may use it.
func Await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := f()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// waitingReader reads what is not a regular file.
type waitingReader struct {
	file   *os.File
	buffer []byte // of the read in progress, which may outlast Read
}

func (r *waitingReader) Read(dst []byte) (int, error) {
	if len(r.buffer) < len(dst) {
		r.buffer = make([]byte, len(dst))
	}
	buffer := r.buffer[:len(dst)]
	n, err := wait(func() (int, error) { return r.file.Read(buffer) })
	return copy(dst, buffer[:n]), err
}

// Waiting returns a writer to what may not be a regular file, such as a pipe: see [Until].
func Waiting(w io.Writer) io.Writer { return &waitingWriter{w: w} }

type waitingWriter struct {
	w       io.Writer
	writing sync.Mutex  // a write may outlast Write
	unread  atomic.Bool // patience has run out, for all that follows
}

func (w *waitingWriter) Write(b []byte) (n int, err error) {
	for piece := range slices.Chunk(b, 1<<16) {
		if w.unread.Load() {
			return n, errUnread
		}
		piece = bytes.Clone(piece) // the write may outlast Write
		done, err := waitToWrite(func() (int, error) {
			w.writing.Lock()
			defer w.writing.Unlock()
			return w.w.Write(piece)
		})
		if n += done; err != nil {
			w.unread.Store(errors.Is(err, errUnread))
			return n, err
		}
	}
	return n, nil
}
