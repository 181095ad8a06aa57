package elastic

import (
	_ "embed"
	"fmt"
	"io"
	"math"
	"text/template"

	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/tree"
)

// text has all splits of a tree and then its leaves.
//
//go:embed elastic.tmpl
var text string

// Write writes e, which must be valid, with each tree on a line of its own. The bytes depend on e only. A
// model without trees is written as one leaf of value 0.
//
// e must be one that [Capabilities] allow. Errors wrap [ErrName], or come from w.
func Write(w io.Writer, e *tree.Ensemble) error {
	for i, f := range e.Features {
		if f.Name == "" {
			return fmt.Errorf("elastic: feature %d: %w: it is empty", i, ErrName)
		}
	}
	return engine.Render(w, text, template.FuncMap{"finite": finite}, map[string]any{
		"Names": e.FeatureNames(), "Roots": engine.Roots(e),
	})
}

// finite returns the finite number nearest to a threshold.
func finite(t float64) float64 { return max(-math.MaxFloat64, min(t, math.MaxFloat64)) }
