// Package modelfile opens files for the readers of model formats.
package modelfile

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/lambdamart/lambdamart/tree"
)

// Read reads the model in the file at path with read. If that returns an error of type E, which
// is the format's own, locate gets it to add the path. An error of opening the file names the
// file and the format.
func Read[E error](path, format string, read func(io.Reader) (*tree.Ensemble, error),
	locate func(E)) (*tree.Ensemble, error) {
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
