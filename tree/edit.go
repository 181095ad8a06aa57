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
		t := scaled.Trees[i].withValues(func(v float64) float64 { return float64(v * factor) })
		if t.validateLeaves() != nil || t.validateLinear(len(e.Features)) != nil {
			return nil, fmt.Errorf("%v: tree %d: %w", factor, i, ErrFactor)
		}
		scaled.Trees[i] = t
	}
	return &scaled, nil
}

// withValues returns t with other values of leaves, of inner nodes and of linear functions: what of returns
// for them. It shares all else with t.
func (t *Tree) withValues(of func(float64) float64) Tree {
	each := func(values []float64) []float64 {
		changed := slices.Clone(values)
		for i, v := range changed {
			changed[i] = of(v)
		}
		return changed
	}
	changed := *t
	changed.LeafValue, changed.InternalValue = each(t.LeafValue), each(t.InternalValue)
	changed.Shrinkage = of(t.Shrinkage)
	if t.Linear != nil {
		linear := LinearLeaves{Const: each(t.Linear.Const), Feature: t.Linear.Feature}
		for _, coefficients := range t.Linear.Coefficient {
			linear.Coefficient = append(linear.Coefficient, each(coefficients))
		}
		changed.Linear = &linear
	}
	return changed
}
