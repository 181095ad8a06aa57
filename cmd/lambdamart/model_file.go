package main

import (
	"crypto/sha256"
	"fmt"
	"io"

	"github.com/lambdamart/lambdamart/io/lightgbm"
	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/io/stream"
	"github.com/lambdamart/lambdamart/tree"
)

// readModel reads a model file in any format that is known, and returns its
// SHA-256 in hexadecimal too.
func readModel(path string) (ensemble *tree.Ensemble, sum string, err error) {
	err = stream.ReadFile(path, func(r io.Reader, name string) error {
		hash := sha256.New()
		if ensemble, _, err = model.Read(io.TeeReader(r, hash)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		sum = fmt.Sprintf("%x", hash.Sum(nil))
		return nil
	})
	return ensemble, sum, err
}

// saveModel writes a model file.
func saveModel(path string, ensemble *tree.Ensemble, messages *console) error {
	return saveFile(path, func(w io.Writer) error { return lightgbm.Write(w, ensemble) }, messages)
}

// saveFile makes a file out of what write writes, and tells its size and hash.
func saveFile(path string, write func(io.Writer) error, messages *console) error {
	hash, size := sha256.New(), &countingWriter{}
	err := stream.WriteFile(path, func(w io.Writer) error {
		return write(io.MultiWriter(w, hash, size))
	})
	if err != nil {
		return err
	}
	messages.emit(savedEvent{Path: path, Bytes: size.bytes, SHA256: fmt.Sprintf("%x", hash.Sum(nil))})
	return nil
}

// countingWriter counts what is written to it.
type countingWriter struct{ bytes int64 }

func (c *countingWriter) Write(p []byte) (int, error) {
	c.bytes += int64(len(p))
	return len(p), nil
}
