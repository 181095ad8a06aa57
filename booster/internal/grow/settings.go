package grow

import (
	"math"
	"math/bits"

	"github.com/lambdamart/lambdamart/internal/bincut"
)

// Settings are what trees grow by. They are the same in each round.
type Settings struct {
	Rules
	NumLeaves, MaxDepth int // largest numbers of leaves, and of splits from the root to a leaf; below 1: any
	Policy              Policy
	Smooth              float64   // rows at which half of a value is that of the parent; 0: no smoothing
	Factors             []float64 // on the gains of splits, by column; nil: none
	ByNode              float64   // share of the tree's columns that a leaf may be split on; 0: all
	Random              bool      // one random threshold of each column
	Monotone            Monotone
	Interactions        [][]bool // sets of columns that may meet on a path; nil: all may
	// of the columns that a leaf may be split on, and of random thresholds
	NodeSeed, ThresholdSeed uint64
	// share of rows without a gradient from which they are set apart (idle.go). Only speed depends on it
	LeastIdle float64
}

// Monotone says with which features scores rise or fall, all else being equal (monotone.go).
type Monotone struct {
	Directions []int8 // by column: 1 rising, -1 falling, 0 any; nil: all any
	// leaves are bounded by comparable leaves, and not by the mean of the values of both sides
	Intermediate bool
	Penalty      float64 // monotone_penalty
}

// Policy is the order in which the leaves of a tree are split.
type Policy int

// The orders.
const (
	ByGain  Policy = iota // the leaf that gains most comes first
	ByDepth               // of the leaves of least depth, the one that gains most
	ByLevel               // all leaves of a level, by the same split (symmetric.go)
)

// Draws reports whether another draw may give another tree.
func (s *Settings) Draws() bool { return s.Random || drawsPart(s.ByNode) }

// drawsPart reports whether each leaf may be split only on some columns, which are drawn.
func drawsPart(byNode float64) bool { return byNode > 0 && byNode < 1 }

// Unconstrained returns settings with the same rules of splits that bound neither values nor the choice of
// columns.
func (s *Settings) Unconstrained() Settings {
	free := Settings{Rules: s.Rules, NumLeaves: s.NumLeaves, MaxDepth: s.MaxDepth, Policy: s.Policy,
		LeastIdle: s.LeastIdle}
	free.MaxStep = 0
	return free
}

// MostOpen returns the largest number of leaves that have sums at a time.
func (s *Settings) MostOpen() int {
	if s.Monotone.Intermediate || s.Policy == ByLevel {
		return s.NumLeaves
	}
	return s.NumLeaves/2 + 2
}

// Levels returns the largest number of levels of a symmetric tree: the largest depth, if there may be as many
// leaves.
func (s *Settings) Levels() int {
	levels := bits.Len(uint(s.NumLeaves)) - 1
	if s.MaxDepth > 0 {
		return min(levels, s.MaxDepth)
	}
	return levels
}

// Portion returns a fraction of n, rounded, and at least 1.
func Portion(n int, fraction float64) int { return max(1, int(float64(float64(n)*fraction)+0.5)) }

// Rules are what splits and leaf values obey.
type Rules struct {
	LambdaL1, LambdaL2 float64
	MinSumHessian      float64
	MinGain            float64
	MinData            int
	MaxStep            float64           // largest magnitude of a value; 0: any
	Categories         bincut.Categories // in real units
}

// Output returns the value of a leaf before shrinkage, from the sums of its gradients and Hessians:
// the w that minimizes G·w + (H+λ2)·w²/2 + λ1·|w|. (Chen and Guestrin, XGBoost, KDD 2016, eq. 5, with
// an L1 term.)
func (r *Rules) Output(gradient, hessian float64) float64 {
	return r.outputWith(r.LambdaL2, gradient, hessian)
}

// outputWith is like output, with another λ2.
func (r *Rules) outputWith(lambdaL2, gradient, hessian float64) float64 {
	if gradient == 0 {
		return 0
	}
	value := -bincut.Shrink(gradient, r.LambdaL1) / (hessian + lambdaL2)
	if r.MaxStep > 0 && math.Abs(value) > r.MaxStep {
		return math.Copysign(r.MaxStep, value)
	}
	return value
}
