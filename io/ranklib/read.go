package ranklib

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/lambdamart/lambdamart/internal/treexml"
	"github.com/lambdamart/lambdamart/tree"
)

// ReadFile reads the model in a file. Errors in it are [*Error] with its path.
func ReadFile(path string) (*tree.Ensemble, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("ranklib: %w", err)
	}
	defer f.Close()
	e, err := Read(f)
	if fault := (*Error)(nil); errors.As(err, &fault) {
		fault.Path = path
	}
	return e, err
}

// Read reads a model. The ensemble is valid: see [tree.Ensemble.Validate].
// Errors are [*Error], or those of r.
func Read(r io.Reader) (*tree.Ensemble, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("ranklib: %w", err)
	}
	kind, body, lines := splitHeader(data)
	objective, known := objectives[kind]
	if !known {
		return nil, &Error{Line: 1, Column: 1, Tree: -1, Err: fmt.Errorf("%w %q; LambdaMART and MART are read", ErrUnsupported, kind)}
	}
	x := treexml.NewReader(body, lines, treexml.Rules{Float32: true, NaN: tree.MissingNone})
	if _, err := x.Start("ensemble"); err != nil {
		return nil, placed(err)
	}
	e, err := x.Ensemble()
	if err != nil {
		return nil, placed(err)
	}
	if err := x.Finish(); err != nil {
		return nil, placed(err)
	}
	e.Objective = objective
	return e, nil
}

// objectives are LightGBM's names of what the kinds of models were trained for. A
// file without a header is taken for one of them.
var objectives = map[string]string{"LambdaMART": "lambdarank", "MART": "regression", "": ""}

// splitHeader returns the kind of model that the lines before the XML name, what
// follows them, and their number.
func splitHeader(data []byte) (kind string, body []byte, lines int) {
	for body = data; ; lines++ {
		line, rest, more := bytes.Cut(body, []byte("\n"))
		line = bytes.TrimSpace(line)
		if !more || len(line) > 0 && line[0] != '#' {
			return kind, body, lines
		}
		if name := strings.TrimSpace(strings.TrimLeft(string(line), "#")); kind == "" && name != "" {
			kind = name[:min(len(name), 40)]
		}
		body = rest
	}
}
