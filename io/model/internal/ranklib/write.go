package ranklib

import (
	_ "embed"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"text/template"

	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/tree"
)

// Options determine how a model is written. The zero value is for columns that
// are numbered as in LETOR files.
type Options struct {
	// FirstOrdinal is the ordinal of column 0. It is 0 for models trained on LETOR files, whose feature 5 is
	// column 5, and 1 for models whose columns are the features of a feature set in order.
	FirstOrdinal int

	// NoMissing promises that no value will be absent, so the side of absent values does not matter. In
	// RankLib they count as 0.
	NoMissing bool
}

// Capabilities returns what RankLib can represent.
func (o Options) Capabilities() engine.Capabilities {
	c := engine.Capabilities{Engine: "RankLib", Missing: engine.MissingZero, Float32: true}
	if o.NoMissing {
		c.Missing = engine.MissingNever
	}
	return c
}

//go:embed ranklib.tmpl
var text string

// Write writes e, which must be valid, as a LambdaMART model, so that every finite float32 value takes the
// same path as in e. Thresholds become the largest float32 that is not larger, within the finite numbers.
// Leaves are rounded to float32, so scores differ by at most (n+1)·2^-24·Σ|leaf| for n trees.
//
// The bytes depend on e and opts only. A model without trees is written as one leaf of value 0.
//
// e must be one that [Options.Capabilities] allow. Errors wrap [ErrOrdinal], or come from w.
func Write(w io.Writer, e *tree.Ensemble, opts Options) error {
	if err := checkOrdinals(e, opts.FirstOrdinal); err != nil {
		return err
	}
	most := 1
	for i := range e.Trees {
		most = max(most, e.Trees[i].NumLeaves())
	}
	return engine.Render(w, text, template.FuncMap{
		"feature": func(f int32) int { return int(f) + opts.FirstOrdinal },
		"cut":     cut, "decimal": decimal, "next": func(i int) int { return i + 1 },
	}, map[string]any{"Roots": engine.Roots(e), "Leaves": most, "FirstOrdinal": opts.FirstOrdinal})
}

func checkOrdinals(e *tree.Ensemble, first int) error {
	for i := range e.Trees {
		for _, f := range e.Trees[i].Feature {
			if int(f)+first < 1 {
				return fmt.Errorf("ranklib: tree %d: %w: column %d (%q) would be ordinal %d; for a model that was not "+
					"trained on a LETOR file, feature_base=1 makes column 0 ordinal 1", i, ErrOrdinal, f,
					e.Features[f].Name, int(f)+first)
			}
		}
	}
	return nil
}

// cut returns the largest float32 that is not above a threshold, within the finite numbers.
func cut(t float64) string {
	return decimal(float64(min(max(engine.AtMost(t), -math.MaxFloat32), math.MaxFloat32)))
}

// decimal returns the shortest decimal that reads back as v rounded to float32.
func decimal(v float64) string { return strconv.FormatFloat(float64(float32(v)), 'g', -1, 32) }

// maxOrdinal limits the number of columns that a name can ask for.
const maxOrdinal = 1 << 20

// ByName returns e with every used feature moved to the column given by its name, which must be the ordinal
// of the feature in the feature set of an engine, because the engine knows features only by ordinal. The
// names must be distinct. e is not changed.
func ByName(e *tree.Ensemble) (*tree.Ensemble, error) {
	column := make([]int32, len(e.Features))
	most := 0
	for _, i := range e.UsedFeatures() {
		ordinal, err := strconv.Atoi(e.Features[i].Name)
		if err != nil || ordinal < 1 || ordinal > maxOrdinal {
			return nil, fmt.Errorf("%q: RankLib's features are numbers, 1 to %d, in the order of the feature set",
				e.Features[i].Name, maxOrdinal)
		}
		column[i], most = int32(ordinal), max(most, ordinal)
	}
	moved := *e
	moved.Features, moved.Trees = make([]tree.Feature, most+1), slices.Clone(e.Trees)
	for i := range moved.Features {
		moved.Features[i].Name = strconv.Itoa(i)
	}
	for i := range moved.Trees {
		t := &moved.Trees[i]
		t.Feature = slices.Clone(t.Feature)
		for node, f := range t.Feature {
			t.Feature[node] = column[f]
		}
	}
	return &moved, nil
}
