package elastic

import (
	_ "embed"
	"fmt"
	"io"
	"math"
	"text/template"

	"github.com/lambdamart/lambdamart/io/model/internal/nested"
	"github.com/lambdamart/lambdamart/tree"
)

// text has all splits of a tree and then its leaves.
//
//go:embed elastic.tmpl
var text string

// Write writes e, which must be valid, with each tree on a line of its own. The bytes depend on e only. A
// model without trees is written as one leaf of value 0.
//
// Errors are a [*engine.Refusal] for a model that Elasticsearch cannot hold, [ErrName], or those of w.
func Write(w io.Writer, e *tree.Ensemble) error {
	if err := checkWritable(e); err != nil {
		return err
	}
	return nested.Write(w, text, template.FuncMap{"finite": finite}, map[string]any{
		"Names": e.FeatureNames(), "Roots": nested.Roots(e),
	})
}

func checkWritable(e *tree.Ensemble) error {
	if err := e.Validate(); err != nil {
		return fmt.Errorf("elastic: %w", err)
	}
	if err := Capabilities().Check(e); err != nil {
		return fmt.Errorf("elastic: %w", err)
	}
	return checkNames(e.Features)
}

// finite returns the finite number nearest to a threshold.
func finite(t float64) float64 { return max(-math.MaxFloat64, min(t, math.MaxFloat64)) }
