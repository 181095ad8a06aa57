package grow

import (
	"bytes"
	"fmt"

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
