package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lambdamart/lambdamart/tree"
)

func stump(d tree.Decision, cut float64) *tree.Ensemble {
	return &tree.Ensemble{
		Features: []tree.Feature{{Name: "a"}},
		Trees: []tree.Tree{{
			Feature: []int32{0}, Threshold: []float64{cut}, Decision: []tree.Decision{d},
			Left: []int32{^0}, Right: []int32{^1}, LeafValue: []float64{0, 1},
		}},
	}
}

func TestCheckRefusesByName(t *testing.T) {
	average := stump(tree.MissingNone, 1)
	average.Average = true
	linear := stump(tree.MissingNone, 1)
	linear.Trees[0].Linear = &tree.LinearLeaves{}
	large := stump(tree.MissingNone, 1)
	large.Trees[0].LeafValue[1] = -1e39
	const left = tree.DefaultLeft
	for _, test := range []struct {
		name    string
		missing Missing
		model   *tree.Ensemble
		want    error
	}{
		{"average", MissingNever, average, ErrAverage},
		{"large leaf", MissingNever, large, ErrRange},
		{"linear", MissingNever, linear, ErrLinear},
		{"categorical", MissingNever, stump(tree.Categorical, 0), ErrCategorical},
		{"zeros go where they would anyway", MissingZero, stump(tree.MissingZero|left, 1), nil},
		{"zeros go right alone", MissingNever, stump(tree.MissingZero, 1), ErrZeroMissing},
		{"NaN beside 0", MissingZero, stump(tree.MissingNaN|left, 1), nil},
		{"NaN away from 0", MissingZero, stump(tree.MissingNaN, 1), ErrMissing},
		{"NaN away from 0, engine with sides", MissingSide, stump(tree.MissingNaN, 1), nil},
		{"NaN away from 0, none expected", MissingNever, stump(tree.MissingNaN, 1), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := Capabilities{Engine: "Some 1.2", Missing: test.missing, Float32: true}.Check(test.model)
			assert.ErrorIs(t, err, test.want)
			if test.want == nil {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, "Some 1.2 cannot hold this model")
			}
			all := Capabilities{Missing: MissingNever, ZeroMissing: true, Categorical: true, Linear: true, Average: true}
			assert.NoError(t, all.Check(test.model))
		})
	}
}
