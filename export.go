package lambdamart

import (
	"errors"
	"fmt"
	"io"

	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/tree"
)

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
