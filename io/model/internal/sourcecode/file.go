package sourcecode

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/internal/widened"
	"github.com/lambdamart/lambdamart/io/model/internal/document"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/tree"
)

// file is the data for a template: a model as tables, with the nodes and leaves of all trees together.
type file struct {
	Name, Package string
	Features      []string // one row per feature
	Roots         []int32  // root of each tree: node, or ^leaf
	Nodes         []node
	Leaves        []decimal

	// Set k of the categorical splits is SetWords[SetStarts[k]:SetStarts[k+1]]; the threshold of its
	// node is k. Empty if there are no categorical splits.
	SetStarts []int32
	SetWords  []uint32
	sets      tree.Tree // whose sets these are, in the order of the nodes

	// The value of leaf l is Leaves[l] plus the sum of Coefficients[i] times the value of
	// LinearFeatures[i], for i from LinearStarts[l] to LinearStarts[l+1]-1. If one of those values
	// is missing, it is MissingLeaves[l]. Empty if there are no linear leaves.
	LinearStarts   []int32
	LinearFeatures []int32
	Coefficients   []decimal
	MissingLeaves  []decimal

	Contexts []context // columns of query context after the features

	Average bool

	Calibration *calibration // nil if there is none
}

// calibration is the function from scores to probabilities that [tree.Calibration] describes.
type calibration struct {
	Event                 string // such as "grade 2"
	Platt                 bool
	A, B                  decimal
	Scores, Probabilities []decimal
}

func newCalibration(c *tree.Calibration) *calibration {
	if c == nil {
		return nil
	}
	decimals := func(values []float64) (list []decimal) {
		for _, v := range values {
			list = append(list, decimal(v))
		}
		return list
	}
	event := strings.Replace(c.Event.String(), ">=", " ", 1)
	return &calibration{event, c.Kind == tree.Platt, decimal(c.A), decimal(c.B), decimals(c.Scores),
		decimals(c.Probabilities)}
}

// node is a row in the table of nodes. String formats it for Java's table.
type node struct {
	Feature     int32
	Threshold   decimal
	Decision    uint8 // tree.Decision, and allLeft
	Left, Right int32 // node, or ^leaf
}

func (n node) String() string {
	return fmt.Sprint(n.Feature, n.Threshold, n.Decision, n.Left, n.Right)
}

// context is a column of query context: the number of its kind, and its feature.
type context struct{ Kind, Feature int }

func (c context) String() string { return fmt.Sprint(c.Kind, c.Feature) }

// decimal is a number whose text is the shortest decimal that reads back as it, in a form that all languages
// accept as a floating-point constant.
type decimal float64

func (d decimal) String() string { return string(document.AppendFloat(nil, float64(d), 64)) }

// allLeft is the bit of a decision for the threshold +Inf, with which LightGBM separates missing
// values from all numbers.
const allLeft = 16

// newFile returns the tables of a valid model. Tables that every file has are not empty, because C has no
// empty arrays.
func newFile(e *tree.Ensemble) (*file, error) {
	raw, _ := widened.FeaturesOf(e).Raw()
	if raw == 0 {
		return nil, fmt.Errorf("%w: the model has no features", ErrFormat)
	}
	f := &file{Average: e.Average, Calibration: newCalibration(e.Calibration)}
	if e.Context != nil {
		for pair := range slices.Chunk(widened.NumbersOf(e.Context)[1:], 2) {
			f.Contexts = append(f.Contexts, context{pair[0], pair[1]})
		}
	}
	for _, feature := range e.Features[:raw] {
		f.Features = append(f.Features, feature.Name)
	}
	trees := engine.Trees(e)
	for i := range trees {
		if err := f.add(&trees[i], i); err != nil {
			return nil, err
		}
	}
	if len(f.Nodes) == 0 { // all trees are single leaves
		f.Nodes = []node{{Left: ^0, Right: ^0}}
	}
	f.SetStarts, f.SetWords = f.sets.CategoryStart, f.sets.Categories
	if f.SetStarts != nil && len(f.SetWords) == 0 { // all sets are empty
		f.SetWords = []uint32{0}
	}
	f.addLinear(trees)
	return f, nil
}

func (f *file) add(t *tree.Tree, number int) error {
	firstNode, firstLeaf := int32(len(f.Nodes)), int32(len(f.Leaves))
	child := func(c int32) int32 {
		if c < 0 {
			return c - firstLeaf // ^(^c + firstLeaf)
		}
		return c + firstNode
	}
	f.Roots = append(f.Roots, child(t.Root()))
	for i, threshold := range t.Threshold {
		decision := uint8(t.Decision[i])
		switch {
		case math.IsInf(threshold, 1): // neither language has a constant for +Inf without a library
			threshold, decision = 0, decision|allLeft
		case math.IsInf(threshold, -1):
			return fmt.Errorf("%w: tree %d, node %d: the threshold %v cannot be written", document.ErrNumber, number,
				i, threshold)
		case t.Decision[i]&tree.Categorical != 0:
			set := int(threshold)
			threshold = engine.AppendSet(&f.sets, t.Categories[t.CategoryStart[set]:t.CategoryStart[set+1]])
		}
		f.Nodes = append(f.Nodes,
			node{t.Feature[i], decimal(threshold), decision, child(t.Left[i]), child(t.Right[i])})
	}
	for leaf, value := range t.LeafValue {
		if t.Linear != nil {
			value = t.Linear.Const[leaf]
		}
		f.Leaves = append(f.Leaves, decimal(value))
	}
	return nil
}

// addLinear fills the tables of linear leaves, if any leaf depends on a feature.
func (f *file) addLinear(trees []tree.Tree) {
	starts := []int32{0}
	for i := range trees {
		t := &trees[i]
		for leaf, value := range t.LeafValue {
			if t.Linear != nil {
				f.LinearFeatures = append(f.LinearFeatures, t.Linear.Feature[leaf]...)
				for _, c := range t.Linear.Coefficient[leaf] {
					f.Coefficients = append(f.Coefficients, decimal(c))
				}
			}
			starts = append(starts, int32(len(f.Coefficients)))
			f.MissingLeaves = append(f.MissingLeaves, decimal(value))
		}
	}
	if f.LinearStarts = starts; len(f.Coefficients) == 0 {
		f.LinearStarts, f.MissingLeaves = nil, nil
	}
}
