package sourcecode

import (
	"fmt"
	"math"

	"github.com/lambdamart/lambdamart/io/model/internal/assemble"
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
			return &Error{Err: fmt.Errorf("%w: tree %d, node %d: the threshold %v cannot be written", ErrNumber, number, i, threshold)}
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

// ensemble returns the model of the tables.
func (s *tables) ensemble() (*tree.Ensemble, error) {
	e := &tree.Ensemble{Average: s.average}
	for _, name := range s.features {
		e.Features = append(e.Features, tree.Feature{Name: name})
	}
	if s.contexts != nil {
		if err := s.widenFeatures(e); err != nil {
			return nil, err
		}
	}
	leaf, ends := 0, s.nodeEnds()
	for i, root := range s.roots {
		first, end := int(root), ends[i]
		if root < 0 { // a single leaf
			first, end = 0, 0
		}
		if end < first || end > len(s.nodes) || leaf+end-first+1 > len(s.leaves) {
			return nil, &Error{Err: fmt.Errorf("%w: tree %d begins at %d and is larger than the tables", errFormat, i, s.roots[i])}
		}
		e.Trees = append(e.Trees, s.tree(first, end, leaf))
		leaf += end - first + 1
	}
	if leaf != len(s.leaves) {
		return nil, &Error{Err: fmt.Errorf("%w: %d leaves, of which the trees have %d", errFormat, len(s.leaves), leaf)}
	}
	if err := e.Validate(); err != nil {
		return nil, &Error{Err: err}
	}
	return e, nil
}

// nodeEnds returns for each tree the number after its last node, which is the root of the next
// tree that has nodes.
func (s *tables) nodeEnds() []int {
	ends := make([]int, len(s.roots))
	end := len(s.nodes)
	for i := len(ends) - 1; i >= 0; i-- {
		ends[i] = end
		if s.roots[i] >= 0 {
			end = int(s.roots[i])
		}
	}
	return ends
}

func (s *tables) tree(firstNode, endNode, firstLeaf int) tree.Tree {
	var b assemble.Tree
	child := func(c int32) int32 {
		if c < 0 {
			return c + int32(firstLeaf)
		}
		return c - int32(firstNode)
	}
	for _, n := range s.nodes[firstNode:endNode] {
		left, right := child(n.left), child(n.right)
		if (left < 0) != (n.left < 0) || (right < 0) != (n.right < 0) { // a child in an earlier tree: make a cycle, which Validate refuses
			left, right = 0, 0
		}
		threshold, decision := n.threshold, tree.Decision(n.decision)
		if n.decision&allLeft != 0 {
			threshold, decision = math.Inf(1), decision&^allLeft
		}
		b.Join(b.AddSplit(assemble.Split{Feature: n.feature, Threshold: threshold, Decision: decision}), left, right)
	}
	for _, value := range s.leaves[firstLeaf : firstLeaf+endNode-firstNode+1] {
		b.AddLeaf(assemble.Leaf{Value: value})
	}
	t := b.Finish()
	s.sets(&t)
	s.linear(&t, firstLeaf)
	return t
}

// sets gives t its own sets, numbered in the order of its nodes. Validate refuses numbers of sets
// that do not exist.
func (s *tables) sets(t *tree.Tree) {
	for i, d := range t.Decision {
		k := int(t.Threshold[i])
		if d&tree.Categorical == 0 || k < 0 || k+1 >= len(s.setStarts) || float64(k) != t.Threshold[i] {
			continue
		}
		start, end := int(s.setStarts[k]), int(s.setStarts[k+1])
		if start < 0 || end < start || end > len(s.words) {
			continue
		}
		t.Threshold[i] = assemble.AppendSet(t, s.words[start:end])
	}
}

func (s *tables) linear(t *tree.Tree, firstLeaf int) {
	if len(s.linearStarts) != len(s.leaves)+1 || len(s.missingLeaves) != len(s.leaves) {
		return
	}
	constants := t.LeafValue
	t.Linear = &tree.LinearLeaves{Const: constants}
	t.LeafValue = s.missingLeaves[firstLeaf : firstLeaf+len(constants)]
	for leaf := range constants {
		start, end := int(s.linearStarts[firstLeaf+leaf]), int(s.linearStarts[firstLeaf+leaf+1])
		if start < 0 || end < start || end > min(len(s.linearFeatures), len(s.coefficients)) {
			start, end = 0, 0
		}
		t.Linear.Feature = append(t.Linear.Feature, s.linearFeatures[start:end])
		t.Linear.Coefficient = append(t.Linear.Coefficient, s.coefficients[start:end])
	}
}
