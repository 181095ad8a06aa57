package sourcecode

import (
	"fmt"
	"math"

	"github.com/lambdamart/lambdamart/querycontext"
	"github.com/lambdamart/lambdamart/tree"
)

// tables are a model in the form of the code: the nodes and leaves of all trees together.
type tables struct {
	features []string
	roots    []int32 // root of each tree: node, or ^leaf
	nodes    []node
	leaves   []float64

	// Set k of the categorical splits is words[setStarts[k]:setStarts[k+1]]; the threshold of its
	// node is k. Empty if there are no categorical splits.
	setStarts []int32
	words     []uint32

	// The value of leaf l is leaves[l] plus the sum of coefficients[i] times the value of
	// linearFeatures[i], for i from linearStarts[l] to linearStarts[l+1]-1. If one of those values
	// is missing, it is missingLeaves[l]. Empty if there are no linear leaves.
	linearStarts   []int32
	linearFeatures []int32
	coefficients   []float64
	missingLeaves  []float64

	// contexts are the columns of query context after the features; nil if there are none.
	contexts []querycontext.Column

	average bool
}

// node is a row in the table of nodes.
type node struct {
	feature     int32
	threshold   float64
	decision    uint8 // tree.Decision, and allLeft
	left, right int32 // node, or ^leaf
}

// allLeft is the bit of a decision for the threshold +Inf, with which LightGBM separates missing
// values from all numbers.
const allLeft = 16

// newTables returns the tables of a valid model.
func newTables(e *tree.Ensemble) (*tables, error) {
	if len(e.Features) == 0 || e.Context != nil && e.Context.Raw == 0 {
		return nil, &Error{Err: fmt.Errorf("%w: the model has no features", errFormat)}
	}
	s := &tables{average: e.Average}
	raw := len(e.Features)
	if e.Context != nil {
		raw, s.contexts = e.Context.Raw, e.Context.List
	}
	for _, f := range e.Features[:raw] {
		s.features = append(s.features, f.Name)
	}
	trees := e.Trees
	if len(trees) == 0 { // arrays cannot be empty in C
		trees = []tree.Tree{{LeafValue: []float64{0}}}
	}
	for i := range trees {
		if err := s.add(&trees[i], i); err != nil {
			return nil, err
		}
	}
	s.addLinear(trees)
	return s, nil
}

func (s *tables) add(t *tree.Tree, number int) error {
	firstNode, firstLeaf := int32(len(s.nodes)), int32(len(s.leaves))
	child := func(c int32) int32 {
		if c < 0 {
			return c - firstLeaf // ^(^c + firstLeaf)
		}
		return c + firstNode
	}
	if t.NumNodes() == 0 {
		s.roots = append(s.roots, child(^0))
	} else {
		s.roots = append(s.roots, child(0))
	}
	for i, threshold := range t.Threshold {
		decision := uint8(t.Decision[i])
		switch {
		case math.IsInf(threshold, 1): // neither language has a constant for +Inf without a library
			threshold, decision = 0, decision|allLeft
		case math.IsInf(threshold, -1):
			return &Error{Err: fmt.Errorf("%w: tree %d, node %d: the threshold %v cannot be written", ErrNumber,
				number, i, threshold)}
		case t.Decision[i]&tree.Categorical != 0:
			threshold = s.addSet(t, int(threshold))
		}
		s.nodes = append(s.nodes, node{t.Feature[i], threshold, decision, child(t.Left[i]), child(t.Right[i])})
	}
	for leaf, value := range t.LeafValue {
		if t.Linear != nil {
			value = t.Linear.Const[leaf]
		}
		s.leaves = append(s.leaves, value)
	}
	return nil
}

// addSet appends set k of t and returns its number. The sets are in the order of their nodes.
func (s *tables) addSet(t *tree.Tree, k int) float64 {
	if s.setStarts == nil {
		s.setStarts = []int32{0}
	}
	s.words = append(s.words, t.Categories[t.CategoryStart[k]:t.CategoryStart[k+1]]...)
	s.setStarts = append(s.setStarts, int32(len(s.words)))
	return float64(len(s.setStarts) - 2)
}

// addLinear fills the tables of linear leaves, if any leaf depends on a feature.
func (s *tables) addLinear(trees []tree.Tree) {
	starts := []int32{0}
	for i := range trees {
		t := &trees[i]
		for leaf, value := range t.LeafValue {
			if t.Linear != nil {
				s.linearFeatures = append(s.linearFeatures, t.Linear.Feature[leaf]...)
				s.coefficients = append(s.coefficients, t.Linear.Coefficient[leaf]...)
			}
			starts = append(starts, int32(len(s.coefficients)))
			s.missingLeaves = append(s.missingLeaves, value)
		}
	}
	if s.linearStarts = starts; len(s.coefficients) == 0 {
		s.linearStarts, s.missingLeaves = nil, nil
	}
}
