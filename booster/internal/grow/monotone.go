package grow

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/bincut"
)

// Monotone features: with all else equal, a row of a larger value never has a smaller score (or, with -1,
// a larger one). That holds for each tree, and so for every sum of trees.
//
// Two leaves are comparable if there are two rows, one in each, that differ only in a monotone feature. They
// lie on different sides of a split by that feature, and share values of all other features:
//
//	     age, +1
//	    /       \           the left leaf with bm25 ≤ 2 is comparable with the right leaf with bm25 ≤ 3,
//	 bm25       bm25        which must not have a smaller value
//	≤2   >2    ≤3   >3
//
// While a tree grows, each leaf has bounds for the values of its children. Splits by a monotone feature whose
// sides have values in the wrong order are not made (LightGBM's monotone_constraints.hpp):
//
//	basic         the mean of the values of both sides bounds everything below them
//	intermediate  the value of a leaf bounds its comparable leaves; best splits of leaves whose bounds
//	              become narrower are searched again
//
// The values of the finished tree come from the sums over all rows (fit). The same rules are applied to the
// splits from the root down, in the order in which they were made. If the sums over all rows give the sides
// of a split the wrong order, although those of sparse gradients did not, both sides get the mean. So the
// values are monotone for any tree, also after leaves were taken out (minimum.go).
//
// In LightGBM, a threshold always separates two leaves, even if both have rows with a missing value of the
// feature. Here, two leaves that rows with missing values can reach are comparable.

// any reports whether any feature is monotone.
func (m *Monotone) any() bool { return m.Directions != nil }

// compares reports whether leaves are bounded by comparable leaves.
func (m *Monotone) compares() bool { return m.any() && m.Intermediate }

// direction returns the direction of a column.
func (m *Monotone) direction(column int32) int8 {
	if !m.any() {
		return 0
	}
	return m.Directions[column]
}

func (m *Monotone) changed(gain float64, depth int, column int32) float64 {
	if m.direction(column) == 0 {
		return gain
	}
	return float64(gain * m.factor(depth))
}

// factor returns the number by which gains of splits by monotone features are multiplied in a leaf of the
// given depth, which is 0 for the root.
func (m *Monotone) factor(depth int) float64 {
	const least = 1e-15
	switch d := float64(depth); {
	case m.Penalty == 0:
		return 1
	case m.Penalty >= d+1:
		return least
	case m.Penalty <= 1:
		return 1 - m.Penalty/math.Ldexp(1, depth) + least
	default:
		return 1 - math.Exp2(m.Penalty-1-d) + least
	}
}

// divide returns the bounds of both children of a leaf with bounds b that is split by a column with this
// direction. left and right are the values of the children.
func (m *Monotone) divide(b bincut.Bounds, direction int8, left, right float64) (ofLeft,
	ofRight bincut.Bounds) {
	if direction == 0 {
		return b, b
	}
	below, above := right, left // bounds of the left and of the right child
	if !m.compares() {
		middle := float64(left/2) + float64(right/2)
		below, above = middle, middle
	}
	return b.Narrow(below, direction < 0), b.Narrow(above, direction > 0)
}

// fit makes the values of a finished tree monotone. parents has the parents of the nodes. value returns the
// value that an internal node, or ^leaf, would have without bounds, given its parent's value.
func (m *Monotone) fit(t *Tree, parents []int32, leaves, nodes []float64,
	value func(ref int32, parent float64) float64) {
	ofNode, ofLeaf := make([]bincut.Bounds, len(nodes)), make([]bincut.Bounds, len(leaves))
	at := func(ref int32) (*float64, *bincut.Bounds) {
		if ref < 0 {
			return &leaves[^ref], &ofLeaf[^ref]
		}
		return &nodes[ref], &ofNode[ref]
	}
	ofNode[0] = bincut.Unbounded()
	for i := range t.Nodes {
		n, own := &t.Nodes[i], ofNode[i]
		left, leftBounds := at(n.Left)
		right, rightBounds := at(n.Right)
		*left, *right = own.Keep(value(n.Left, nodes[i])), own.Keep(value(n.Right, nodes[i]))
		d := m.Directions[n.Column]
		if d > 0 && *left > *right || d < 0 && *left < *right {
			middle := own.Keep(float64(*left/2) + float64(*right/2))
			*left, *right = middle, middle
		}
		if *leftBounds, *rightBounds = m.divide(own, d, *left, *right); !m.compares() {
			continue
		}
		for _, side := range []bool{false, true} {
			v := *left
			if side {
				v = *right
			}
			t.eachComparable(m.Directions, step{int32(i), side}, int32(i), parents, func(c comparableLeaf) {
				_, b := at(c.ref)
				*b = b.Narrow(v, c.above)
			})
		}
	}
}
