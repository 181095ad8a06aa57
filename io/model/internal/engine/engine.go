// Package engine describes the programs that load exported models, in their newest versions: how they treat
// missing values, how they compare ([AtMost], [Below], [Slack]), and what they can represent
// ([Capabilities]). A model that an engine cannot represent is refused, so no exported file
// scores differently from its model. Engines store trees node by node: [Builder] reads such trees, and
// [Render] writes them. [Read] opens files that are JSON.
package engine

import (
	"fmt"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/tree"
)

// Capabilities describe what an engine or a format can represent in addition to plain numeric splits. The
// zero value allows only these.
type Capabilities struct {
	Engine string // its name in messages, with the version if it matters
	// absent values (NaN) count as 0; otherwise each split names their side, or there are none
	MissingIsZero bool
	Float32       bool // leaf values are float32, so larger ones are refused
	ZeroMissing   bool // splits that treat zeros as missing
	Categorical   bool // splits by sets of categories
	MaxCategory   int  // the largest category of such a set; 0: any
	Texts         bool // with Categorical false: sets of categories that stand for texts
	Linear        bool // linear leaves
	Average       bool // scores divided by the number of trees
	Context       bool // query context, computed from all documents of a query
	Calibration   bool // probabilities beside scores
}

// Everything returns the capabilities of an engine that can represent every model without query context and
// calibration.
func Everything(name string) Capabilities {
	return Capabilities{Engine: name, ZeroMissing: true, Categorical: true, Linear: true, Average: true}
}

// Check returns an error if the engine cannot represent e, which must be valid. The error names the first
// place in the model, and wraps one of the errors below.
func (c Capabilities) Check(e *tree.Ensemble) error {
	for _, part := range []struct {
		there, held bool
		err         error
	}{{e.Context != nil, c.Context, ErrContext}, {e.Average, c.Average, ErrAverage},
		{e.Calibration != nil, c.Calibration, ErrCalibration}} {
		if part.there && !part.held {
			return c.refusal("the model", part.err, "")
		}
	}
	for i := range e.Trees {
		if err := c.checkTree(i, e); err != nil {
			return err
		}
	}
	return nil
}

// refusal returns the error for a part of the model. detail says more about the place; it may be empty.
func (c Capabilities) refusal(place string, err error, detail string) error {
	if detail != "" {
		detail = " (" + detail + ")"
	}
	return fmt.Errorf("%s cannot hold this model: %s has %w%s", c.Engine, place, err, detail)
}

func (c Capabilities) checkTree(number int, e *tree.Ensemble) error {
	t, place := &e.Trees[number], fmt.Sprintf("tree %d", number)
	if t.Linear != nil && !c.Linear {
		return c.refusal(place, ErrLinear, "")
	}
	if i := slices.IndexFunc(t.LeafValue, beyondFloat32); c.Float32 && i >= 0 {
		return c.refusal(place, ErrRange, fmt.Sprint(t.LeafValue[i]))
	}
	for node := range t.Decision {
		if detail, err := c.checkNode(e, t, node); err != nil {
			return c.refusal(fmt.Sprintf("%s, node %d", place, node), err, detail)
		}
	}
	return nil
}

func (c Capabilities) checkNode(e *tree.Ensemble, t *tree.Tree, node int) (detail string, err error) {
	d, cut, feature := t.Decision[node], t.Threshold[node], int(t.Feature[node])
	switch {
	case d&tree.Categorical != 0:
		switch {
		case c.Texts && e.Dictionaries[feature] != nil:
			return "", nil
		case c.Texts:
			return fmt.Sprintf("on feature %d, whose categories are numbers: it compares texts, which training on a "+
				"table keeps", feature), ErrCategorical
		case !c.Categorical:
			return fmt.Sprintf("on feature %d, %s; train with numbers in its place, such as the clicks of each "+
				"category, or take another target", feature, document.Clip(e.Features[feature].Name)), ErrCategorical
		}
		if c.MaxCategory == 0 {
			return "", nil
		}
		if set := t.CategoriesLeft(node); len(set) > 0 && set[len(set)-1] > c.MaxCategory {
			return fmt.Sprintf("feature %d has category %d; at most %d", t.Feature[node], set[len(set)-1],
					c.MaxCategory),
				ErrCategory
		}
	case !c.ZeroMissing && !IsPlain(d, cut):
		return fmt.Sprintf("feature %d, threshold %v, zeros go %s", t.Feature[node], cut,
			side(d&tree.DefaultLeft != 0)), ErrZeroMissing
	case c.MissingIsZero && !NaNIsZero(d, cut):
		return fmt.Sprintf("feature %d, threshold %v: they go %s in the model; here absent values count as 0",
			t.Feature[node], cut, side(NaNLeft(d, cut))), ErrMissing
	}
	return "", nil
}

func beyondFloat32(v float64) bool { return math.IsInf(float64(float32(v)), 0) }

func side(left bool) string {
	if left {
		return "left"
	}
	return "right"
}

// Parts of a model that an engine may be unable to represent, for use with [errors.Is].
var (
	ErrCategorical = part("a categorical split")
	ErrCategory    = part("a category that is too large")
	ErrZeroMissing = part("a split that takes zeros for missing and sends them to the other side than " +
		"their neighbors")
	ErrMissing = part("a split that sends missing values elsewhere")
	ErrLinear  = part("linear leaves")
	ErrContext = part("query context, which needs all documents of a query, and this target sees " +
		"one (to=go, c and java, and onnx with number_type=float64, have a function for a query); if the rows " +
		"will have it in columns, as lambdamart transform writes them, set context=precomputed")
	ErrAverage = part("scores that are averages of the trees")
	ErrRange   = part("a leaf value beyond the range of float32")
	// ErrCalibration: the scores alone can be written.
	ErrCalibration = part("a calibration, which makes probabilities of scores (to=go, c and java have a " +
		"function for it, onnx an output, and lightgbm keeps it for lambdamart); no_calibration=true writes a " +
		"file that gives scores alone")
)

func part(text string) error { return document.Kind(document.ErrUnsupported, text) }

// ErrName: a feature has a name that the format cannot hold.
var ErrName = document.Kind(document.ErrFormat, "bad feature name")

// CheckNames returns an [ErrName] for the first feature whose name has a fault. fault describes it, or
// returns "" if there is none.
func CheckNames(features []tree.Feature, fault func(name string) string) error {
	for i, f := range features {
		if why := fault(f.Name); why != "" {
			return fmt.Errorf("feature %d: %w: %q: %s", i, ErrName, document.Clip(f.Name), why)
		}
	}
	return nil
}
