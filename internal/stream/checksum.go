package stream

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
)

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
