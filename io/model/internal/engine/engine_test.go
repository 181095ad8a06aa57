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
		{"NaN right", MissingRight, stump(tree.MissingNaN, 1), nil},
		{"NaN left", MissingRight, stump(tree.MissingNaN|left, -1), ErrMissing},
		{"NaN counts as 0, which goes left", MissingRight, stump(tree.MissingNone, 1), ErrMissing},
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

func TestParse(t *testing.T) {
	for text, want := range map[string]Version{
		"":                    {},
		"solr-9":              {"solr", 9, 0, 0},
		"opensearch-3.5":      {"opensearch", 3, 5, 0},
		"elasticsearch-8.9.2": {"elasticsearch", 8, 9, 2},
	} {
		got, err := Parse(text)
		assert.NoError(t, err)
		assert.Equal(t, want, got)
		assert.Equal(t, text == "", got.IsZero())
	}
	for _, text := range []string{"solr", "solr-", "solr-9.x", "solr-9.1.2.3", "solr--1", "9.2", "-9.2"} {
		_, err := Parse(text)
		assert.ErrorContains(t, err, "engine="+text+": write a name and a version", text)
	}
}

func TestRuleOf(t *testing.T) {
	eras := []Era{
		{Last: Version{"a", 1, 9, 0}, End: Version{"a", 2, 0, 0}, Missing: MissingZero},
		{Last: Version{"a", 2, 4, 9}, End: Version{"a", 2, 5, 0}, Missing: MissingRight},
	}
	for v, want := range map[Version]Missing{
		{"a", 1, 9, 0}: MissingZero, {"a", 1, 9, 7}: MissingZero, {"a", 2, 0, 0}: MissingRight,
		{"a", 2, 5, 0}: MissingSide, {"b", 1, 0, 0}: MissingSide, {}: MissingSide,
	} {
		assert.Equal(t, want, RuleOf(v, eras, MissingSide), "%v", v)
	}
}
