package stream

import (
	"errors"
	"io"
)

// ErrBomb means that compressed input expands to far more bytes than is plausible.
var ErrBomb = errors.New("it is compressed so strongly that it is not what it should be; decompress it " +
	"if it is")

// ReadFile opens the file at path, calls read with its decompressed content, without the byte order mark of
// UTF-8 text, and closes it. name is the name of the file for messages. The path "-" is standard input. Errors
// of [Open], [Input.Reader] and read are returned unchanged.
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
		if err := in.readBounded(passOver); err != nil {
			return err
		}
	}
	return in.readBounded(read)
}

func passOver(r io.Reader, _ string) error {
	_, err := io.Copy(io.Discard, r)
	return err
}

// readBounded calls read with the decompressed content.
func (in *Input) readBounded(read func(r io.Reader, name string) error) error {
	r, err := in.Reader()
	if err != nil {
		return err
	}
	defer r.Close()
	return read(WithoutMark(&bounded{r: r, plain: in.format == plain}), in.Name())
}

const (
	mostGrowth = 200      // bytes for each stored byte; text of models shrinks to a third or a tenth
	freeGrowth = 64 << 20 // bytes that are allowed in any case
)

// Content that is not kept in memory may grow further. gzip expands by at most a factor of 1,032, but a few
// bytes of zstd can make terabytes, which would take days to read.
const (
	mostStreamGrowth = 2048
	freeStreamGrowth = 1 << 30
)

// bounded is a reader that fails when the content is too large for the bytes stored.
type bounded struct {
	r     *Reader
	plain bool
	bytes int64
}

func (b *bounded) Read(dst []byte) (int, error) {
	n, err := b.r.Read(dst)
	b.bytes += int64(n)
	if !b.plain && b.bytes > freeGrowth+mostGrowth*b.r.Consumed() {
		return n, b.r.in.fail(ErrBomb)
	}
	return n, err
}
