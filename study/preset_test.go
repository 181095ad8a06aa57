package study

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
)

// ofSize returns the metadata of queries of 10 rows each. Half of the queries have pairs.
func ofSize(queries int) *dataset.Meta {
	m := &dataset.Meta{Labels: make([]float64, 10*queries)}
	for n := range queries {
		m.Queries = append(m.Queries, dataset.Query{First: 10 * n, Len: 10})
		m.Labels[10*n] = float64(n % 2)
	}
	return m
}

func TestTaught(t *testing.T) {
	assert.Equal(t, 500, taughtRows(ofSize(100)))
	assert.Zero(t, taughtRows(&dataset.Meta{}))
}

// TestRules checks the rules of docs/settings.md.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		queries, leaves, chosen, most, patience, models int
		objective, given                                string
	}{
		{1, 64, 9, 2000, 100, 4, "lambdarank", "data"}, {6000, 64, 9, 2000, 100, 4, "lambdarank", "data"},
		{6000, 15, 7, 2000, 100, 1, "query_rmse", "num_models"},
		{6000, 15, 7, 2000, 100, 1, "query_rmse", "input_model"},
		{1, 64, 8, 2000, 100, 4, "lambdarank", "learning_rates"}, {6002, 64, 9, 1000, 50, 4, "lambdarank", "data"},
		{6002, 31, 1, 1000, 50, 1, "lambdarank", "num_models"},
	} {
		m := ofSize(c.queries)
		p := booster.DefaultParams()
		chosen, err := ApplyPreset(PresetAuto, &p, m, false, c.given)
		require.NoError(t, err)
		assert.Equal(t, c.leaves, p.NumLeaves, "%d queries", c.queries)
		assert.Equal(t, c.objective, p.Objective)
		assert.Equal(t, c.models, p.NumModels)
		assert.Equal(t, 100, p.NumIterations)
		assert.Zero(t, p.Patience)
		assert.Len(t, chosen, c.chosen)
		for _, choice := range chosen {
			assert.Equal(t, choice.Value, p.Table().Find(choice.Name).Value.String())
		}
		assert.Empty(t, p.Cautions())

		p = booster.DefaultParams()
		_, err = ApplyPreset(PresetAuto, &p, m, true, c.given)
		require.NoError(t, err)
		assert.Equal(t, []int{c.most, c.patience}, []int{p.NumIterations, p.Patience})
	}
}

// TestObjectiveStaysWhereItsParametersAreGiven: a given parameter of an objective keeps its effect.
func TestObjectiveStaysWhereItsParametersAreGiven(t *testing.T) {
	for _, given := range []string{"objective", "lambdarank_truncation_level", "label_gain",
		"model_objectives"} {
		p := booster.DefaultParams()
		_, err := ApplyPreset(PresetAuto, &p, ofSize(10), true, given)
		require.NoError(t, err)
		assert.Equal(t, "lambdarank", p.Objective, given)
		assert.Equal(t, 15, p.NumLeaves)
	}
}

// TestOneModelWhereAMeanIsRefused: initial scores, categories, and boosting other than gbdt permit only one
// model.
func TestOneModelWhereAMeanIsRefused(t *testing.T) {
	for name, change := range map[string]func(p *booster.Params, m *dataset.Meta){
		"initial scores": func(_ *booster.Params, m *dataset.Meta) {
			m.InitialScores = make([]float64, m.NumRows())
		},
		"texts":      func(_ *booster.Params, m *dataset.Meta) { m.Dictionaries = map[int][]string{0: {"a"}} },
		"categories": func(p *booster.Params, _ *dataset.Meta) { p.CategoricalFeature = "0" },
		"dart":       func(p *booster.Params, _ *dataset.Meta) { p.Boosting = booster.DART },
	} {
		p, m := booster.DefaultParams(), ofSize(10)
		change(&p, m)
		assert.NotEmpty(t, OneModel(&p, m), name)
		_, err := ApplyPreset(PresetAuto, &p, m, false)
		require.NoError(t, err, name)
		assert.Equal(t, 1, p.NumModels, name)
		assert.Equal(t, 15, p.NumLeaves, name)
	}
	p := booster.DefaultParams()
	for _, settings := range presetMembers(ofSize(10)) {
		q := p
		_, err := q.Table().Apply(settings)
		require.NoError(t, err)
		require.NoError(t, q.Validate(nil))
		assert.Empty(t, q.Cautions())
	}
}

// TestBefore: preset=best has query context, unless the user has chosen it.
func TestBefore(t *testing.T) {
	for _, c := range []struct{ name, given, kinds string }{
		{PresetBest, "data", "rank,zscore"}, {PresetBest, "query_context", ""},
		{PresetBest, "query_context_features", "rank,zscore"},
		{PresetAuto, "data", ""}, {PresetNone, "data", ""},
	} {
		p := booster.DefaultParams()
		chosen := PresetBefore(c.name, &p, c.given)
		assert.Equal(t, c.kinds, strings.Join(p.QueryContext, ","), c)
		for _, choice := range chosen {
			assert.Equal(t, choice.Value, p.Table().Find(choice.Name).Value.String())
		}
		require.NoError(t, p.Validate(nil))
	}
}

// TestPresetFast: the parameters are the same for data of any size, except those that are given.
func TestPresetFast(t *testing.T) {
	for _, rows := range []int{10, 100_000} {
		p := booster.DefaultParams()
		chosen, err := ApplyPreset(PresetFast, &p, ofSize(rows), true, "learning_rates")
		require.NoError(t, err)
		assert.Len(t, chosen, len(written(fastTrees))-1)
		assert.Equal(t, booster.Symmetric, p.GrowPolicy)
		assert.Equal(t, []int{64, 60}, []int{p.NumLeaves, p.NumIterations})
		assert.Equal(t, booster.DefaultParams().LearningRate, p.LearningRate)
		require.NoError(t, p.Validate(nil))
	}
}

// TestGivenParametersStay: the preset does not change parameters that are given.
func TestGivenParametersStay(t *testing.T) {
	p := booster.DefaultParams()
	p.NumLeaves, p.BaggingFraction = 31, 1
	chosen, err := ApplyPreset(PresetAuto, &p, ofSize(10), true, "num_leaves", "bagging_fraction", "data")
	require.NoError(t, err)
	assert.Equal(t, 31, p.NumLeaves)
	assert.Equal(t, 1.0, p.BaggingFraction)
	assert.Zero(t, p.BaggingFreq, "it would have no effect")
	assert.Len(t, chosen, 5) // of 8

}
