package engine

import "github.com/lambdamart/lambdamart/tree"

// Builder builds a tree node by node, for formats that do not store it as lists. The zero value is empty; the
// first node or leaf that is added is the root.
type Builder struct{ tree tree.Tree }

// Split is an internal node; see the fields of [tree.Tree].
type Split struct {
	Feature   int32
	Threshold float64
	Decision  tree.Decision
	Gain      float64
	Value     float64
	Weight    float64
	Count     int64
}

// Leaf is a leaf; see the fields of [tree.Tree].
type Leaf struct {
	Value  float64
	Weight float64
	Count  int64
}

// AddSplit adds an internal node and returns the number by which its parent refers to it. Set its children
// with Join.
func (b *Builder) AddSplit(s Split) int32 {
	to := &b.tree
	to.Feature = append(to.Feature, s.Feature)
	to.Threshold = append(to.Threshold, s.Threshold)
	to.Decision = append(to.Decision, s.Decision)
	to.Gain = append(to.Gain, s.Gain)
	to.InternalValue = append(to.InternalValue, s.Value)
	to.InternalWeight = append(to.InternalWeight, s.Weight)
	to.InternalCount = append(to.InternalCount, s.Count)
	to.Left, to.Right = append(to.Left, 0), append(to.Right, 0)
	return int32(len(to.Left) - 1)
}

// AddLeaf adds a leaf and returns the number by which its parent refers to it, which is negative.
func (b *Builder) AddLeaf(l Leaf) int32 {
	to := &b.tree
	to.LeafValue = append(to.LeafValue, l.Value)
	to.LeafWeight = append(to.LeafWeight, l.Weight)
	to.LeafCount = append(to.LeafCount, l.Count)
	return int32(-len(to.LeafValue))
}

// AppendSet adds a set of categories, in the form of [tree.Tree], to a tree and returns its number.
func AppendSet(t *tree.Tree, set []uint32) (number float64) {
	if t.CategoryStart == nil {
		t.CategoryStart = []int32{0}
	}
	t.Categories = append(t.Categories, set...)
	t.CategoryStart = append(t.CategoryStart, int32(len(t.Categories)))
	return float64(len(t.CategoryStart) - 2)
}

// Join sets the children of an internal node.
func (b *Builder) Join(node, left, right int32) {
	b.tree.Left[node], b.tree.Right[node] = left, right
}

// Finish returns the tree. It is valid if all internal nodes were joined, no node has two parents, and the
// features, thresholds and values are valid.
func (b *Builder) Finish() tree.Tree {
	b.tree.Shrinkage = 1
	return b.tree
}
