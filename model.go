package lambdamart

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/scoring"
	"github.com/lambdamart/lambdamart/training"
	"github.com/lambdamart/lambdamart/tree"
)

// Model scores documents: a [*tree.Ensemble], a [*tree.Scorer] or a [*nnbaseline.Model].
type Model = scoring.Model

// ErrModel is wrapped by the error of [WriteModel] for a model that has no file format.
var ErrModel = errors.New("a model of this type cannot be written; models of trees (*tree.Ensemble) and " +
	"networks (*nnbaseline.Model) can")

// JudgedBy returns the parameters by which the training of m judged it, as far as m states them, and the
// defaults of others. What judges a model takes its gains and convention from here
// unless the user asks for others:
//
//	convention, err := lambdamart.JudgedBy(m).Convention()
//	…
//	judgment, err := lambdamart.Evaluate(ctx, m, "test.txt", data.Options{}, metric.NDCG(convention, 10))
func JudgedBy(m Model) training.Judging {
	parameters, _, _ := provenance.Of(m) // empty for a model of another program
	return training.JudgingOf(parameters)
}

// ReadModel reads a model file: trees in any format that package model knows, LightGBM's among them,
// as a [*tree.Ensemble], and a network as a [*nnbaseline.Model]. The file may be compressed with gzip
// or zstd, and "-" is standard input. Errors name the file; [ReadModelFrom] lists them.
func ReadModel(path string) (Model, error) {
	return stream.Read(path, func(r io.Reader, name string) (Model, error) {
		m, err := ReadModelFrom(r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return m, nil
	})
}

// ReadModelFrom reads a model up to the end of r, as [ReadModel] does. Errors wrap [model.ErrUnknown],
// [model.ErrFormat] or [model.ErrUnsupported], those of [nnbaseline.ReadModel], or come from r.
func ReadModelFrom(r io.Reader) (Model, error) {
	buffered := bufio.NewReader(stream.WithoutMark(r))
	start, _ := buffered.Peek(model.HeadSize)
	if nnbaseline.IsModel(start) {
		return modelOr(nnbaseline.ReadModel(buffered))
	}
	trees, _, err := model.Read(buffered)
	return modelOr(trees, err)
}

// modelOr returns a model, or nil and the error: an interface that holds a nil pointer is not nil.
func modelOr[M Model](m M, err error) (Model, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}

// IsModel reports whether a file is a model that [ReadModel] reads, by its first bytes.
func IsModel(path string) (found bool, err error) {
	err = stream.ReadFile(path, func(r io.Reader, _ string) error {
		start, _ := bufio.NewReader(r).Peek(model.HeadSize)
		_, unknown := model.Detect(start)
		found = unknown == nil || nnbaseline.IsModel(start)
		return nil
	})
	return found, err
}

// WriteModel writes a model to a file: trees as LightGBM's model text, a network in the format that
// package nnbaseline describes. The file appears under its name only when it is complete. "-" is
// standard output. For any other type of model the error wraps [ErrModel].
func WriteModel(path string, m Model) error {
	write, err := writerOf(m)
	if err != nil {
		return err
	}
	return stream.WriteFile(path, write)
}

// WriteModelTo writes a model to w, as [WriteModel] does.
func WriteModelTo(w io.Writer, m Model) error {
	write, err := writerOf(m)
	if err != nil {
		return err
	}
	return write(w)
}

// writerOf returns the function that writes m.
func writerOf(m Model) (func(io.Writer) error, error) {
	switch m := m.(type) {
	case *tree.Ensemble:
		return func(w io.Writer) error { return model.Write(w, m) }, nil
	case *nnbaseline.Model:
		return m.Write, nil
	}
	return nil, fmt.Errorf("%T: %w", m, ErrModel)
}

// ErrNotTrees is wrapped by the error of [Export] for a model that does not consist of trees.
var ErrNotTrees = errors.New("only models of trees (*tree.Ensemble) can be exported")

// Export writes a model of trees to a file for the programs that load the given target, such as "solr" or
// "onnx"; [model.Targets] lists them. The file is read back and scored before it is written, so no file is
// left that scores differently from the model. If o.Vectors is not 0, test vectors go to a second file, whose
// name has [model.VectorsEnding] at the end. Notes for the user are in the result. [model.Export] lists the
// errors; a model that the target cannot represent is one.
func Export(path string, m Model, target string, o model.Options) (*model.Exported, error) {
	trees, ok := m.(*tree.Ensemble)
	if !ok {
		return nil, fmt.Errorf("%T: %w", m, ErrNotTrees)
	}
	x, err := model.Export(trees, target, o)
	if err != nil {
		return nil, err
	}
	return x, writeExport(path, x)
}

// writeExport writes the file of an export, and its test vectors if there are any.
func writeExport(path string, x *model.Exported) error {
	err := stream.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(x.Content)
		return err
	})
	if err != nil || x.Vectors == nil {
		return err
	}
	return stream.WriteFile(path+model.VectorsEnding, x.Vectors.Write)
}
