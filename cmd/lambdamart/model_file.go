package main

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"

	"github.com/lambdamart/lambdamart/internal/bytecount"
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

// readRanker reads a model file of trees, in any format that is known, or of a network. It also
// returns the SHA-256 of the file in hexadecimal.
func readRanker(path string) (m rankingModel, sum string, err error) {
	err = stream.ReadFile(path, func(r io.Reader, name string) error {
		hash := sha256.New()
		buffered := bufio.NewReader(io.TeeReader(r, hash))
		start, _ := buffered.Peek(model.HeadSize)
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

// readModel reads a model of trees and returns the SHA-256 of its file. A network is an error.
func readModel(path string) (ensemble *tree.Ensemble, sum string, err error) {
	m, sum, err := readRanker(path)
	if err == nil && m.network != nil {
		err = fmt.Errorf("%s: a network (%s), where trees are wanted", path, m.network.Ranker())
	}
	return m.trees, sum, err
}

// isModel reports whether a file is a model rather than a file of scores.
func isModel(path string) (found bool, err error) {
	err = stream.ReadFile(path, func(r io.Reader, _ string) error {
		start, _ := bufio.NewReader(r).Peek(model.HeadSize)
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

// saveFile writes a file, and emits an event with its size and hash.
func saveFile(path string, write func(io.Writer) error, messages *console) error {
	hash, size := sha256.New(), &bytecount.Writer{}
	err := writeOutput(path, func(w io.Writer) error {
		return write(io.MultiWriter(w, hash, size))
	})
	if err != nil {
		return err
	}
	messages.emit(savedEvent{Path: path, Bytes: size.Bytes, SHA256: fmt.Sprintf("%x", hash.Sum(nil))})
	return nil
}

// writeOutput writes the file that an output parameter names; standard output if it is "-" or empty.
func writeOutput(path string, write func(io.Writer) error) error {
	return stream.WriteFile(cmp.Or(path, "-"), write)
}
