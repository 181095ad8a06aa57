package booster

import (
	"math"
	"math/bits"

	"github.com/lambdamart/lambdamart/internal/bincut"
)

// settings are what trees grow by. They are the same in each round.
type settings struct {
	rules
	numLeaves, maxDepth int // largest numbers of leaves, and of splits from the root to a leaf; below 1: any
	order               orderOf
	smooth              float64   // rows at which half of a value is that of the parent; 0: no smoothing
	factors             []float64 // on the gains of splits, by column; nil: none
	byNode              float64   // share of the tree's columns that a leaf may be split on; 0: all
	random              bool      // one random threshold of each column
	monotone            monotone
	interactions        [][]bool // sets of columns that may meet on a path; nil: all may
	// of the columns that a leaf may be split on, and of random thresholds
	nodeSeed, thresholdSeed uint64
	// share of rows without a gradient from which they are set apart (idle.go). Only speed depends on it
	leastIdle float64
}

// orderOf is the order in which the leaves of a tree are split.
type orderOf int

// The orders.
const (
	byGain  orderOf = iota // the leaf that gains most comes first
	byDepth                // of the leaves of least depth, the one that gains most
	byLevel                // all leaves of a level, by the same split (symmetric.go)
)

// draws reports whether another draw may give another tree.
func (s *settings) draws() bool { return s.random || drawsPart(s.byNode) }

// drawsPart reports whether each leaf may be split only on some columns, which are drawn.
func drawsPart(byNode float64) bool { return byNode > 0 && byNode < 1 }

// unconstrained returns settings with the same rules of splits that bound neither values nor the choice of
// columns.
func (s *settings) unconstrained() settings {
	free := settings{rules: s.rules, numLeaves: s.numLeaves, maxDepth: s.maxDepth, order: s.order,
		leastIdle: s.leastIdle}
	free.maxStep = 0
	return free
}

// mostOpen returns the largest number of leaves that have sums at a time.
func (s *settings) mostOpen() int {
	if s.monotone.intermediate || s.order == byLevel {
		return s.numLeaves
	}
	return s.numLeaves/2 + 2
}

// levels returns the largest number of levels of a symmetric tree: the largest depth, if there may be as many
// leaves.
func (s *settings) levels() int {
	levels := bits.Len(uint(s.numLeaves)) - 1
	if s.maxDepth > 0 {
		return min(levels, s.maxDepth)
	}
	return levels
}

// portion returns a fraction of n, rounded, and at least 1.
func portion(n int, fraction float64) int { return max(1, int(float64(float64(n)*fraction)+0.5)) }

// rules are what splits and leaf values obey.
type rules struct {
	lambdaL1, lambdaL2 float64
	minSumHessian      float64
	minGain            float64
	minData            int
	maxStep            float64           // largest magnitude of a value; 0: any
	categories         bincut.Categories // in real units
}

// output returns the value of a leaf before shrinkage, from the sums of its gradients and Hessians:
// the w that minimizes G·w + (H+λ2)·w²/2 + λ1·|w|. (Chen and Guestrin, XGBoost, KDD 2016, eq. 5, with
// an L1 term.)
func (r *rules) output(gradient, hessian float64) float64 {
	return r.outputWith(r.lambdaL2, gradient, hessian)
}

// outputWith is like output, with another λ2.
func (r *rules) outputWith(lambdaL2, gradient, hessian float64) float64 {
	if gradient == 0 {
		return 0
	}
	value := -bincut.Shrink(gradient, r.lambdaL1) / (hessian + lambdaL2)
	if r.maxStep > 0 && math.Abs(value) > r.maxStep {
		return math.Copysign(r.maxStep, value)
	}
	return value
}
