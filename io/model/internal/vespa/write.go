package vespa

import (
	_ "embed"
	"fmt"
	"io"
	"math"
	"text/template"

	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/tree"
)

//go:embed vespa.tmpl
var text string

// Write writes e, which must be valid, with each tree on a line of its own. The bytes depend on e
// only. A model without trees is written as one leaf of value 0.
//
// e must be one that [Capabilities] allow. Errors wrap [ErrName] or [ErrDepth], or come from w.
func Write(w io.Writer, e *tree.Ensemble) error {
	if err := checkWritable(e); err != nil {
		return err
	}
	return engine.Render(w, text, template.FuncMap{"above": above}, map[string]any{
		"Names": e.FeatureNames(), "Roots": engine.Roots(e),
	})
}

func checkWritable(e *tree.Ensemble) error {
	if err := checkNames(e.Features); err != nil {
		return err
	}
	for i := range e.Trees {
		if d := e.Trees[i].Depth(); d > MaxDepth {
			return fmt.Errorf("vespa: tree %d: %w: %d splits above a leaf, at most %d; train with max_depth", i,
				ErrDepth, d, MaxDepth)
		}
	}
	return nil
}

// above returns the c with x < c if and only if x <= t: the next float64 above t, or the largest if
// there is none.
func above(t float64) float64 { return min(math.Nextafter(t, math.Inf(1)), math.MaxFloat64) }
