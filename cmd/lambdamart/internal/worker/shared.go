package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"syscall"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/arrays"
	"github.com/lambdamart/lambdamart/internal/stream"
)

// file is a file with arrays from the parent process: an inherited file descriptor or a path.
type file struct {
	FD   int    `json:"fd"`
	Path string `json:"path"`
	Size int    `json:"size"`
}

func (f file) open(flag int) (*os.File, error) {
	if f.Path != "" {
		return os.OpenFile(f.Path, flag, 0)
	}
	return os.NewFile(uintptr(f.FD), fmt.Sprintf("file descriptor %d", f.FD)), nil
}

// name returns a path by which the file can be opened. On systems other than Linux, only a file with a path
// has one.
func (f file) name() string {
	if f.Path != "" {
		return f.Path
	}
	return fmt.Sprintf("/proc/self/fd/%d", f.FD)
}

// buffer is the memory for rows from the parent process and for results. The environment names it: the number
// of an inherited file descriptor, or a path.
type buffer struct {
	file  *os.File
	data  []byte
	unmap func() error
}

const bufferName = "LAMBDAMART_WORKER_BUFFER"

// bytes returns the buffer, which the parent process has made at least this large.
func (b *buffer) bytes(size int) ([]byte, error) {
	if size <= len(b.data) {
		return b.data, nil
	}
	if b.file == nil {
		named := file{Path: os.Getenv(bufferName)}
		if fd, err := strconv.Atoi(named.Path); err == nil {
			named = file{FD: fd}
		}
		var err error
		if b.file, err = named.open(os.O_RDWR); err != nil {
			return nil, err
		}
	}
	b.release()
	data, unmap, err := arrays.Map(b.file, size, true)
	if err != nil {
		return nil, fmt.Errorf("the buffer that is shared with the parent process: %w", err)
	}
	b.data, b.unmap = data, unmap
	return data, nil
}

func (b *buffer) release() {
	if b.unmap != nil {
		b.unmap()
	}
	b.data, b.unmap = nil, nil
}

func (b *buffer) close() {
	b.release()
	if b.file != nil {
		b.file.Close()
	}
}

// write writes the payload, or an open file of the parent process, to a file, completely or not at all. A
// system error is in the result as its number, because the parent has types for these.
func (s *server) write(_ context.Context, q *request) (event, pieces, error) {
	err := writeContent(q)
	var number syscall.Errno
	if errors.As(err, &number) {
		return event{"errno": int(number), "path": q.Path}, nil, nil
	}
	return nil, nil, err
}

func writeContent(q *request) error {
	if err := cli.CheckPlain(q.Path); err != nil {
		return err
	}
	var content io.Reader = bytes.NewReader(q.payload)
	if q.Store != nil {
		f, err := os.Open(q.Store.name())
		if err != nil {
			return err
		}
		defer f.Close()
		content = f
	}
	return stream.WriteFile(q.Path, func(w io.Writer) error {
		_, err := io.Copy(w, content)
		return err
	})
}
