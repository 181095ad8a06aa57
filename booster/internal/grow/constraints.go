package grow

import (
	"slices"

	"github.com/lambdamart/lambdamart/internal/bincut"
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/random"
)

// constraints are the rules for splits other than limits. The zero value allows everything, and a leaf
// without constraints is searched by the kernels of internal/bincut alone.
//
//	a leaf is to be searched   constrain: which columns it may be split on, and the bounds of its values
//	a column is searched       cut: by the kernels, or by the values that the sides would take
//	the best cut is chosen     gain: factors on the gain
//	the leaf is split          constrainChildren: the state of its children
//
// Everything is in the units of an iteration, in which values of leaves are multiples of u/u'.
type constraints struct {
	values  bincut.Values // in real units
	factors factors       // on gains
	gains   []gainRule    // in the order in which they are applied
	byNode  float64       // share of the columns that a leaf may be split on; 0: all
	random  bool          // one random threshold of each column

	monotone     Monotone
	interactions [][]bool // sets of columns that may meet on a path; nil: all may
	parents      []int32  // of the nodes of the growing tree

	nodeSeed, thresholdSeed uint64
	nodeKey, thresholdKey   random.Key    // of the current draw
	inUnits                 bincut.Values // values in the units of the tree
}

// newConstraints returns the constraints of a tree that grows by s.
func newConstraints(s *Settings) *constraints {
	c := &constraints{
		values: bincut.Values{MaxStep: s.MaxStep, Smooth: s.Smooth}, factors: s.Factors,
		byNode: s.ByNode, random: s.Random, monotone: s.Monotone,
		interactions: s.Interactions, nodeSeed: s.NodeSeed, thresholdSeed: s.ThresholdSeed,
	}
	c.gains = asked(c.factors, &c.monotone)
	return c
}

// A gainRule changes the gains by which splits are chosen. It is for rules that neither forbid splits nor
// bound values.
type gainRule interface {
	// any reports whether the rule changes any gain.
	any() bool
	// changed returns the changed gain of a split by a column at a depth, which is 0 for the root.
	changed(gain float64, depth int, column int32) float64
}

// asked returns the rules that change any gain.
func asked(all ...gainRule) []gainRule {
	return slices.DeleteFunc(all, func(rule gainRule) bool { return !rule.any() })
}

// factors multiply gains, by column; nil: none.
type factors []float64

func (f factors) any() bool { return f != nil }

func (f factors) changed(gain float64, _ int, column int32) float64 {
	return float64(gain * f[column])
}

// revises reports whether the best split of a leaf may change while others are split.
func (c *constraints) revises() bool { return c.monotone.compares() }

// needsRows reports whether gains depend on the number of rows of a leaf.
func (c *constraints) needsRows() bool { return c.values.Smooth > 0 }

// begin prepares c for the tree of a draw.
func (c *constraints) begin(draw int) {
	c.nodeKey = random.New(c.nodeSeed, random.LeafFeature, draw)
	c.thresholdKey = random.New(c.thresholdSeed, random.Threshold, draw)
}

// root returns the state of the root, whose rows have the given sum.
func (c *constraints) root(l *limits, sum binsum.Sum) leafState {
	c.inUnits = c.values
	if c.values.MaxStep > 0 {
		c.inUnits.MaxStep = c.values.MaxStep / l.valueUnit
	}
	return leafState{value: l.Best(&c.inUnits, sum), bounds: bincut.Unbounded()}
}

// children is the part of constrainChildren that depends only on the path from the root. Peers use it for
// children that they search before it is certain that the parent is split. If constraints depend on more than
// the path (revises), they may have to be searched again.
func (c *constraints) children(parent, left, right *leaf) {
	column, above := parent.best.Column, &path{parent.best.Column, parent.above}
	left.leafState = leafState{value: parent.best.values[0], place: parent.place.Key(0), above: above}
	right.leafState = leafState{value: parent.best.values[1], place: parent.place.Key(1), above: above}
	m := &c.monotone
	left.bounds, right.bounds = m.divide(parent.bounds, m.direction(column), left.value, right.value)
}

// weighed returns a gain by a column after applying the rules that change gains.
func (c *constraints) weighed(depth int, column int32, gain float64) float64 {
	for _, rule := range c.gains {
		gain = rule.changed(gain, depth, column)
	}
	return gain
}

// meeting returns, by column, whether it may be split on below the columns of above: these columns, and the
// columns of each set that has all of them. It returns nil if all columns may.
func (c *constraints) meeting(above []int32, columns int) []bool {
	if c.interactions == nil {
		return nil
	}
	marks := make([]bool, columns)
	for _, column := range above {
		marks[column] = true
	}
	for _, set := range c.interactions {
		if hasAll(set, above) {
			for i, in := range set {
				marks[i] = marks[i] || in
			}
		}
	}
	return marks
}

func hasAll(set []bool, columns []int32) bool {
	for _, c := range columns {
		if !set[c] {
			return false
		}
	}
	return true
}
