package ranklib

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/tree"
)

// Read reads the content of a file. The ensemble is valid; see [tree.Ensemble.Validate]. Errors wrap the
// kinds of this package, with their place.
func Read(data []byte) (*tree.Ensemble, error) {
	e, err := read(data)
	if err != nil {
		return nil, fmt.Errorf("ranklib: %w", err)
	}
	return e, nil
}

func read(data []byte) (*tree.Ensemble, error) {
	h, err := readHeader(data)
	if err != nil {
		return nil, err
	}
	objective, known := objectives[h.kind]
	if !known {
		return nil, &Error{Line: 1, Column: 1, Tree: -1,
			Err: fmt.Errorf("%w %q; LambdaMART and MART are read", ErrUnsupported, h.kind)}
	}
	x := reader{decoder: xml.NewDecoder(bytes.NewReader(h.body)), lines: h.lines}
	e := x.ensemble()
	if x.err != nil {
		return nil, x.err
	}
	e.Objective = objective
	return e, shift(e, h.firstOrdinal)
}

// shift renumbers the features so that ordinal first is column 0.
func shift(e *tree.Ensemble, first int) error {
	for i := range e.Trees {
		for node, ordinal := range e.Trees[i].Feature {
			if int(ordinal) < first {
				return &Error{Tree: i, Err: fmt.Errorf("%w: ordinal %d, but the first column has %d",
					ErrOrdinal, ordinal, first)}
			}
			e.Trees[i].Feature[node] = ordinal - int32(first)
		}
	}
	e.Features = e.Features[:max(0, len(e.Features)-first)]
	return nil
}

// objectives maps the kinds of models that are read to LightGBM's names for their objectives. A
// file without a header is read too.
var objectives = map[string]string{"LambdaMART": "lambdarank", "MART": "regression", "": ""}

// header is the part of a file before the XML.
type header struct {
	kind         string // kind of the model; empty without a header
	firstOrdinal int    // ordinal of column 0
	body         []byte // the XML
	lines        int    // number of lines of the header
}

// firstOrdinalKey begins a header line that only this package writes; it gives the ordinal of column 0.
const firstOrdinalKey = "Ordinal of column 0"

func readHeader(data []byte) (h header, err error) {
	for h.body = data; ; h.lines++ {
		line, rest, more := bytes.Cut(h.body, []byte("\n"))
		line = bytes.TrimSpace(line)
		if !more || len(line) > 0 && line[0] != '#' {
			return h, nil
		}
		text := strings.TrimSpace(strings.TrimLeft(string(line), "#"))
		if h.kind == "" {
			h.kind = text[:min(len(text), 40)]
		}
		if value, ours := strings.CutPrefix(text, firstOrdinalKey+" = "); ours {
			if h.firstOrdinal, err = strconv.Atoi(value); err != nil || h.firstOrdinal < 0 {
				return h, &Error{Line: h.lines + 1, Column: 1, Tree: -1,
					Err: fmt.Errorf("%w: %q", document.ErrNumber, value[:min(len(value), 40)])}
			}
		}
		h.body = rest
	}
}
