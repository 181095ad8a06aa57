// Package modelfile is what the readers of model formats share: opening a file.
package modelfile

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/lambdamart/lambdamart/tree"
)

// Read reads the model in the file at path with read. An error of type E, the
// format's own, is handed to locate, to be told the path; one of opening the file
// names it, and the format.
func Read[E error](path, format string, read func(io.Reader) (*tree.Ensemble, error), locate func(E)) (*tree.Ensemble, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", format, err)
	}
	defer f.Close()
	e, err := read(f)
	if fault := *new(E); errors.As(err, &fault) {
		locate(fault)
	}
	return e, err
}
