// Package target tells what the engines that load exported models can hold, and
// refuses by name what they cannot. No export writes a model that scores otherwise.
package target

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/internal/threshold"
	"github.com/lambdamart/lambdamart/tree"
)

// Missing is what an engine does with a value that is absent (NaN) at a numeric
// split.
type Missing int

// The rules there are.
const (
	// MissingSide: each split names the side. Holds all models.
	MissingSide Missing = iota
	// MissingZero: absent values are zeros.
	MissingZero
	// MissingRight: absent values go right, whatever the split says.
	MissingRight
	// MissingNever: there are no absent values, or it does not matter what
	// becomes of them. Holds all models.
	MissingNever
)

func (m Missing) String() string {
	return [...]string{"absent values go to a side that each split names", "absent values count as 0", "absent values go right", "there are no absent values"}[m]
}

// Abilities are what an engine can do beyond plain numeric splits.
type Abilities struct {
	Engine      string // as messages name it, with the version where it matters
	Missing     Missing
	Float32     bool // leaf values are float32
	ZeroMissing bool // splits that take zeros for missing
	Categorical bool // splits by sets of categories
	Linear      bool // linear leaves
	Average     bool // scores divided by the number of trees
}

// Kinds of what cannot be held, to be found with [errors.Is].
var (
	ErrCategorical = errors.New("a categorical split")
	ErrZeroMissing = errors.New("a split that takes zeros for missing and sends them to the other side than their neighbours")
	ErrMissing     = errors.New("a split that sends missing values elsewhere")
	ErrLinear      = errors.New("linear leaves")
	ErrAverage     = errors.New("scores that are averages of the trees")
	ErrRange       = errors.New("a leaf value beyond the range of float32")
)

// Refusal tells what in a model an engine cannot hold, and where it is first met.
type Refusal struct {
	Engine string
	Tree   int    // -1 if the model as a whole is meant
	Node   int    // -1 if no node is meant
	Detail string // more about it; may be empty
	Err    error  // one of the errors above
}

func (r *Refusal) Error() string {
	where := "the model"
	if r.Tree >= 0 {
		where = fmt.Sprintf("tree %d", r.Tree)
	}
	if r.Node >= 0 {
		where += fmt.Sprintf(", node %d", r.Node)
	}
	text := fmt.Sprintf("%s cannot hold this model: %s has %v", r.Engine, where, r.Err)
	if r.Detail != "" {
		text += " (" + r.Detail + ")"
	}
	return text
}

func (r *Refusal) Unwrap() error { return r.Err }

// Check returns a [*Refusal] if the engine cannot hold e, which is valid.
func (a Abilities) Check(e *tree.Ensemble) error {
	if e.Average && !a.Average {
		return &Refusal{Engine: a.Engine, Tree: -1, Node: -1, Err: ErrAverage}
	}
	for i := range e.Trees {
		if e.Trees[i].Linear != nil && !a.Linear {
			return &Refusal{Engine: a.Engine, Tree: i, Node: -1, Err: ErrLinear}
		}
		if v := e.Trees[i].LeafValue; a.Float32 && slices.ContainsFunc(v, beyondFloat32) {
			return &Refusal{Engine: a.Engine, Tree: i, Node: -1, Detail: fmt.Sprint(v[slices.IndexFunc(v, beyondFloat32)]), Err: ErrRange}
		}
		for node := range e.Trees[i].Decision {
			if detail, err := a.checkNode(&e.Trees[i], node); err != nil {
				return &Refusal{a.Engine, i, node, detail, err}
			}
		}
	}
	return nil
}

func (a Abilities) checkNode(t *tree.Tree, node int) (detail string, err error) {
	d, cut := t.Decision[node], t.Threshold[node]
	switch {
	case d&tree.Categorical != 0:
		if !a.Categorical {
			return fmt.Sprintf("on feature %d", t.Feature[node]), ErrCategorical
		}
	case !a.ZeroMissing && !threshold.IsPlain(d, cut):
		return fmt.Sprintf("feature %d, threshold %v, zeros go %s", t.Feature[node], cut, side(d&tree.DefaultLeft != 0)), ErrZeroMissing
	case a.Missing == MissingZero && !threshold.NaNIsZero(d, cut),
		a.Missing == MissingRight && threshold.NaNLeft(d, cut):
		return fmt.Sprintf("feature %d, threshold %v: they go %s in the model; here %v", t.Feature[node], cut, side(threshold.NaNLeft(d, cut)), a.Missing), ErrMissing
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
