package engine

import (
	"fmt"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/io/model/internal/threshold"
	"github.com/lambdamart/lambdamart/tree"
)

// Capabilities describe what an engine or a format can represent in addition to plain numeric splits. The
// zero value allows only these.
type Capabilities struct {
	Engine      string // its name in messages, with the version if it matters
	Missing     Missing
	Float32     bool // leaf values are float32, so larger ones are refused
	ZeroMissing bool // splits that treat zeros as missing
	Categorical bool // splits by sets of categories
	Linear      bool // linear leaves
	Average     bool // scores divided by the number of trees
	Context     bool // query context, computed from all documents of a query
}

// Everything returns the capabilities of an engine that can represent every model without query context.
func Everything(name string) Capabilities {
	return Capabilities{Engine: name, ZeroMissing: true, Categorical: true, Linear: true, Average: true}
}

// Check returns a [*Refusal] if the engine cannot represent e, which must be valid. The refusal names the
// first place in the model.
func (c Capabilities) Check(e *tree.Ensemble) error {
	if e.Context != nil && !c.Context {
		return &Refusal{Engine: c.Engine, Tree: -1, Node: -1, Err: ErrContext}
	}
	if e.Average && !c.Average {
		return &Refusal{Engine: c.Engine, Tree: -1, Node: -1, Err: ErrAverage}
	}
	for i := range e.Trees {
		if err := c.checkTree(i, &e.Trees[i]); err != nil {
			return err
		}
	}
	return nil
}

func (c Capabilities) checkTree(number int, t *tree.Tree) error {
	if t.Linear != nil && !c.Linear {
		return &Refusal{Engine: c.Engine, Tree: number, Node: -1, Err: ErrLinear}
	}
	if i := slices.IndexFunc(t.LeafValue, beyondFloat32); c.Float32 && i >= 0 {
		return &Refusal{Engine: c.Engine, Tree: number, Node: -1, Detail: fmt.Sprint(t.LeafValue[i]), Err: ErrRange}
	}
	for node := range t.Decision {
		if detail, err := c.checkNode(t, node); err != nil {
			return &Refusal{c.Engine, number, node, detail, err}
		}
	}
	return nil
}

func (c Capabilities) checkNode(t *tree.Tree, node int) (detail string, err error) {
	d, cut := t.Decision[node], t.Threshold[node]
	switch {
	case d&tree.Categorical != 0:
		if !c.Categorical {
			return fmt.Sprintf("on feature %d", t.Feature[node]), ErrCategorical
		}
	case !c.ZeroMissing && !threshold.IsPlain(d, cut):
		return fmt.Sprintf("feature %d, threshold %v, zeros go %s", t.Feature[node], cut,
			side(d&tree.DefaultLeft != 0)), ErrZeroMissing
	case c.Missing == MissingZero && !threshold.NaNIsZero(d, cut):
		return fmt.Sprintf("feature %d, threshold %v: they go %s in the model; here %v", t.Feature[node], cut,
			side(threshold.NaNLeft(d, cut)), c.Missing), ErrMissing
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
