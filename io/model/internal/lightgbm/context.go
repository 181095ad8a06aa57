package lightgbm

import (
	"fmt"
	"strings"

	"github.com/lambdamart/lambdamart/tree"
)

// contextPrefix begins the line of the parameters that lists the columns of query context.
const contextPrefix = "[query_context_columns: "

// allParameters returns the section of parameters, with the lines that this package adds, without its last
// line end.
func allParameters(e *tree.Ensemble) string {
	lines := []string{}
	if text := strings.TrimSuffix(e.Parameters, "\n"); text != "" {
		lines = append(lines, text)
	}
	if e.Context != nil {
		lines = append(lines, contextPrefix+e.Context.String()+"]")
	}
	if line := categoriesLine(e); line != "" {
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// takeContext moves the line about query context, if there is one, from the parameters of the model to its
// Context.
func (m *modelReader) takeContext(firstLine int) error {
	for _, line := range m.takeLines(contextPrefix) {
		var err error
		if m.ensemble.Context != nil {
			err = fmt.Errorf("%w: it is there twice", errFormat)
		} else {
			err = m.ensemble.SetContext(line.text)
		}
		if err != nil {
			return &Error{Line: firstLine + line.number, Tree: -1, Key: "query_context_columns",
				Err: fmt.Errorf("%w: %w", errFormat, err)}
		}
	}
	return nil
}

// ownLine is the text of a line [NAME: TEXT] of the parameters that this package has added.
type ownLine struct {
	number int // among the parameters, from 0
	text   string
}

// takeLines removes the lines that begin with prefix, "[NAME: ", from the parameters of the model and
// returns them.
func (m *modelReader) takeLines(prefix string) (taken []ownLine) {
	lines := strings.SplitAfter(m.ensemble.Parameters, "\n")
	kept := lines[:0]
	for i, line := range lines {
		if text, is := strings.CutPrefix(line, prefix); is {
			taken = append(taken, ownLine{i, strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "]")})
		} else {
			kept = append(kept, line)
		}
	}
	m.ensemble.Parameters = strings.Join(kept, "")
	return taken
}
