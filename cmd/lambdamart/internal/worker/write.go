package worker

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"syscall"

	"github.com/lambdamart/lambdamart/internal/stream"
)

// write writes the payload, or an open file of the parent process, to a file, completely or not at all. A
// system error is in the result as its number, because the parent has types for these.
func (s *server) write(_ context.Context, q *request) (event, []byte, error) {
	err := writeContent(q)
	var number syscall.Errno
	if errors.As(err, &number) {
		return event{"errno": int(number), "path": q.Path}, nil, nil
	}
	return nil, nil, err
}

func writeContent(q *request) error {
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
