package tree

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/internal/random"
)

// Errors of edits, to be matched by [errors.Is].
var (
	// ErrFactor is wrapped by errors for a factor that is zero or not finite, or
	// makes values that are not finite.
	ErrFactor = errors.New("the factor must be a number other than 0 that leaves all values finite")
	// ErrNoTree is wrapped by errors for a number that no tree of the model has.
	ErrNoTree = errors.New("the model has no such tree")
)

// Without returns the model without the trees of the given numbers, counted from 0. It shares the other trees
// with e. If no tree has one of the numbers, the error wraps [ErrNoTree].
func (e *Ensemble) Without(numbers ...int) (*Ensemble, error) {
	drop := make([]bool, len(e.Trees))
	for _, n := range numbers {
		if n < 0 || n >= len(drop) {
			return nil, fmt.Errorf("tree %d of %d: %w", n, len(drop), ErrNoTree)
		}
		drop[n] = true
	}
	kept := *e
	kept.Calibration = nil
	kept.Trees = make([]Tree, 0, len(e.Trees))
	for i := range e.Trees {
		if !drop[i] {
			kept.Trees = append(kept.Trees, e.Trees[i])
		}
	}
	return &kept, nil
}

// Shuffled returns the model with its trees in a random order that depends on the seed. Scores are those of e
// up to rounding, and the first n trees of the result are a random sample of the trees of e. It shares the
// trees with e.
func (e *Ensemble) Shuffled(seed uint64) *Ensemble {
	shuffled := *e
	shuffled.Trees = make([]Tree, len(e.Trees))
	key := random.New(seed, random.TreeOrder, 0)
	order := make([]int, len(e.Trees))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(key.Uint64(a), key.Uint64(b)) })
	for place, number := range order {
		shuffled.Trees[place] = e.Trees[number]
	}
	return &shuffled
}

// Scaled returns the model whose leaf values are e's times factor, rounded. It shares all but the values with
// e. The error wraps [ErrFactor].
func (e *Ensemble) Scaled(factor float64) (*Ensemble, error) {
	if factor == 0 || math.IsNaN(factor) || math.IsInf(factor, 0) {
		return nil, fmt.Errorf("%v: %w", factor, ErrFactor)
	}
	scaled := *e
	scaled.Calibration = nil
	scaled.Trees = slices.Clone(e.Trees)
	for i := range scaled.Trees {
		if !scaled.Trees[i].scale(factor) {
			return nil, fmt.Errorf("%v: tree %d: %w", factor, i, ErrFactor)
		}
	}
	return &scaled, nil
}

// scale replaces the values of t by their products with a factor, and reports whether all of those that
// scores depend on are finite. The old values remain as they are.
func (t *Tree) scale(factor float64) bool {
	t.LeafValue, t.InternalValue = times(t.LeafValue, factor), times(t.InternalValue, factor)
	t.Shrinkage = float64(t.Shrinkage * factor)
	finite := allFinite(t.LeafValue)
	if t.Linear != nil {
		linear := LinearLeaves{Const: times(t.Linear.Const, factor), Feature: t.Linear.Feature}
		finite = finite && allFinite(linear.Const)
		for _, coefficients := range t.Linear.Coefficient {
			scaled := times(coefficients, factor)
			linear.Coefficient, finite = append(linear.Coefficient, scaled), finite && allFinite(scaled)
		}
		t.Linear = &linear
	}
	return finite
}

func times(values []float64, factor float64) []float64 {
	products := make([]float64, len(values))
	for i, v := range values {
		products[i] = float64(v * factor)
	}
	return products
}

func allFinite(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}
