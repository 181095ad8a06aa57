package main

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"

	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/io/model/lightgbm"
	"github.com/lambdamart/lambdamart/io/stream"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/tree"
)

// rankingModel is a model that scores documents: trees or a network.
type rankingModel struct {
	trees   *tree.Ensemble    // nil for a network
	network *nnbaseline.Model // nil for trees
}

// readRanker reads a model file in any format that is known, and returns its
// SHA-256 in hexadecimal too.
func readRanker(path string) (m rankingModel, sum string, err error) {
	err = stream.ReadFile(path, func(r io.Reader, name string) error {
		hash := sha256.New()
		buffered := bufio.NewReader(io.TeeReader(r, hash))
		start, _ := buffered.Peek(sniffed)
		if nnbaseline.IsModel(start) {
			m.network, err = nnbaseline.ReadModel(buffered)
		} else {
			m.trees, _, err = model.Read(buffered)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		sum = fmt.Sprintf("%x", hash.Sum(nil))
		return nil
	})
	return m, sum, err
}

// readModel reads a model of trees, as readRanker does. A network is an error.
func readModel(path string) (ensemble *tree.Ensemble, sum string, err error) {
	m, sum, err := readRanker(path)
	if err == nil && m.network != nil {
		err = fmt.Errorf("%s: a network (%s), where trees are wanted", path, m.network.Ranker())
	}
	return m.trees, sum, err
}

// sniffed bytes tell what a file is.
const sniffed = 512

// isModel tells a model from scores.
func isModel(path string) (found bool, err error) {
	err = stream.ReadFile(path, func(r io.Reader, _ string) error {
		start, _ := bufio.NewReader(r).Peek(sniffed)
		_, err := model.Detect(start)
		found = nnbaseline.IsModel(start) || err == nil
		return nil
	})
	return found, err
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
