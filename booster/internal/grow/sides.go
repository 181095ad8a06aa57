package grow

import (
	"bytes"
	"fmt"

	"github.com/lambdamart/lambdamart/internal/bincut"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/tree"
)

// sides maps each bin of a categorical feature to the side to which a split sends its rows.
type sides struct {
	right  []uint8 // by bin: 1 if its rows go right
	sorted bool    // the bins on the left were found by sorting; cat_l2 applies to the children
}

// allRight returns sides that send all of this many bins right.
func allRight(bins int) *sides { return &sides{right: bytes.Repeat([]uint8{1}, bins)} }

// categoricalColumns returns, by column, whether it is categorical; nil if no column is.
func categoricalColumns(m *histogram.Matrix) []bool {
	var all []bool
	for c := range m.Columns {
		if m.Bins(int32(c)).IsCategorical() {
			if all == nil {
				all = make([]bool, len(m.Columns))
			}
			all[c] = true
		}
	}
	return all
}

// IsCategorical reports whether a column is categorical.
func (t *Tree) IsCategorical(column int32) bool {
	return t.categorical != nil && t.categorical[column]
}

// categoryLeaf returns a leaf that is being searched for cuts of a categorical column.
func (g *Grower) categoryLeaf(worker int, s *search, column int32) *bincut.CategoryLeaf {
	return &bincut.CategoryLeaf{Valued: &s.leaf, Rules: &g.limits.categories, Memory: &g.orders[worker],
		Ends: &s.ends[column]}
}

// forgetEnds prepares the search of another leaf, given the number of columns, or 0 if none is categorical.
func (s *search) forgetEnds(columns int) {
	if s.ends == nil {
		s.ends = make([]bincut.Ends, columns)
	}
	for i := range s.ends {
		s.ends[i].Forget()
	}
}

// sidesOf returns the sides of a cut of a categorical column.
func (g *Grower) sidesOf(s *search, column int32, cut *bincut.Cut, c *bincut.Column) *sides {
	return g.limits.sidesWith(len(c.Sums), g.categoryLeaf(0, s, column).LeftBins(c, cut))
}

// sidesWith returns sides that send the bins in left to the left, and all others to the right.
func (l *limits) sidesWith(bins int, left []int32) *sides {
	found := allRight(bins)
	found.sorted = !l.categories.OneHot(bins)
	for _, bin := range left {
		found.right[bin] = 0
	}
	return found
}

// setDraw returns the random number that selects the only set of a column to try (extra_trees), or AnySet.
func (g *Grower) setDraw(s *search, column int32) float64 {
	if !g.constraints.random {
		return bincut.AnySet
	}
	return s.threshold.Float64(int(g.matrix.Columns[column]))
}

// appendSet appends the categories that a node sends left to the tree, and returns the number of the set.
func appendSet(t *tree.Tree, bins *histogram.FeatureBins, s *sides) int {
	if t.CategoryStart == nil {
		t.CategoryStart = []int32{0}
	}
	largest := int32(-1) // category
	for b, category := range bins.Categories {
		if s.right[b+1] == 0 {
			largest = max(largest, category)
		}
	}
	first := len(t.Categories)
	t.Categories = append(t.Categories, make([]uint32, (largest+32)/32)...)
	for b, category := range bins.Categories {
		if s.right[b+1] == 0 {
			t.Categories[first+int(category/32)] |= 1 << (category % 32)
		}
	}
	t.CategoryStart = append(t.CategoryStart, int32(len(t.Categories)))
	return len(t.CategoryStart) - 2
}

// sidesOfSet is the inverse of appendSet: it returns the sides of a node of t. It is an error if a category
// of the set has no bin.
func sidesOfSet(t *tree.Tree, node int, bins *histogram.FeatureBins) (*sides, error) {
	s := allRight(bins.NumBins())
	for _, category := range t.CategoriesLeft(node) {
		bin := bins.Bin(float64(category))
		if bin == 0 {
			return nil, fmt.Errorf("stands for category %d", category)
		}
		s.right[bin] = 0
	}
	return s, nil
}

// l2Below returns λ2 for the children of an internal node, or for the root if node is -1. As in LightGBM, it
// is larger below sets of sorted categories.
func (g *Grower) l2Below(node int32) float64 {
	if node >= 0 && g.Nodes[node].sides != nil && g.Nodes[node].sides.sorted {
		return g.rules.LambdaL2 + g.rules.Categories.L2
	}
	return g.rules.LambdaL2
}
