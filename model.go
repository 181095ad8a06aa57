package lambdamart

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/io/model/lightgbm"
	"github.com/lambdamart/lambdamart/io/stream"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/scoring"
	"github.com/lambdamart/lambdamart/tree"
)

// Model scores documents: a [*tree.Ensemble], a [*tree.Scorer] or a [*nnbaseline.Model].
type Model = scoring.Model

// ErrModel is wrapped by the error of [WriteModel] for a model that has no file format.
var ErrModel = errors.New("a model of this type cannot be written; models of trees (*tree.Ensemble) and networks (*nnbaseline.Model) can")

// sniffed is the number of bytes that tell a network from the models of package model.
const sniffed = 512

// ReadModel reads a model file: trees in any format that package model knows, LightGBM's among them,
// as a [*tree.Ensemble], and a network as a [*nnbaseline.Model]. "-" is standard input.
func ReadModel(path string) (Model, error) {
	var m Model
	err := stream.ReadFile(path, func(r io.Reader, name string) (err error) {
		buffered := bufio.NewReader(r)
		start, _ := buffered.Peek(sniffed)
		if nnbaseline.IsModel(start) {
			m, err = nnbaseline.ReadModel(buffered)
		} else {
			m, _, err = model.Read(buffered)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// WriteModel writes a model to a file: trees as LightGBM's model text, a network in the form that
// package nnbaseline describes. The file appears under its name only when it is complete. "-" is
// standard output. For any other type of model the error wraps [ErrModel].
func WriteModel(path string, m Model) error {
	write, err := writerOf(m)
	if err != nil {
		return err
	}
	return stream.WriteFile(path, write)
}

func writerOf(m Model) (func(io.Writer) error, error) {
	switch m := m.(type) {
	case *tree.Ensemble:
		return func(w io.Writer) error { return lightgbm.Write(w, m) }, nil
	case *nnbaseline.Model:
		return m.Write, nil
	}
	return nil, fmt.Errorf("%T: %w", m, ErrModel)
}

// Compile returns the model in its fastest form: trees as a [*tree.Scorer], whose scores equal those of
// the ensemble in every bit, and any other model as it is.
func Compile(m Model) (Model, error) {
	if e, ok := m.(*tree.Ensemble); ok {
		return tree.Compile(e)
	}
	return m, nil
}
