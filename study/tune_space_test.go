package study

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/param"
)

func TestReadSpace(t *testing.T) {
	s := dimensions(t, "eta = 0.01 .. 0.3 log # an alias\nnum_leaves=7..127\nobjective = lambdarank|rank_xendcg\nbagging_freq = 1\n")
	assert.Equal(t, searchSpace{
		{Name: "learning_rate", Low: 0.01, High: 0.3, Log: true, Place: "space:1"},
		{Name: "num_leaves", Low: 7, High: 127, Integer: true, Place: "space:2"},
		{Name: "objective", Choices: []string{"lambdarank", "rank_xendcg"}, Place: "space:3"},
		{Name: "bagging_freq", Choices: []string{"1"}, Integer: true, Place: "space:4"},
	}, s)
	for _, d := range s {
		again := dimensions(t, d.String()+"\nlambda_l1 = 0..1\n")[0]
		again.Place, d.Place = "", ""
		assert.Equal(t, d, again)
	}
}

func readSpace(text string) (searchSpace, error) {
	settings, err := param.ReadConfig(strings.NewReader(text), "space")
	if err != nil {
		return nil, err
	}
	return newSpace(settings)
}

func TestReadSpaceRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"num_leafs = 3..9":                    "num_leafs=3..9 (space:1): num_leafs=3..9 (space:1): unknown",
		"num_leaves = 9..3":                   "the range is empty; the first number must be the smaller one",
		"num_leaves = 9..9":                   "the range is empty",
		"num_leaves = 1..9":                   "num_leaves=1: must be >= 2",
		"feature_fraction = 0.5..1.5":         "feature_fraction=1.5",
		"learning_rate = 0..1 log":            "a range of ratios (log) begins above 0",
		"learning_rate = 0.1..x":              "write two numbers",
		"learning_rate = 0.1..NaN":            "write two numbers",
		"learning_rate = 0.1..Inf":            "write two numbers",
		"learning_rate = 0.1 log":             "log is for a range",
		"objective = lambdarank|nonsense":     "nonsense",
		"objective = lambdarank|lambdarank":   "lambdarank comes twice",
		"objective = lambdarank|":             "objective=",
		"learning_rate = 0.1":                 "no parameter in it has several values",
		"max_bin = 15..255":                   "bins are made once",
		"seed = 1..100":                       "a seed is no setting",
		"num_iterations = 1..100":             "every trial finds its best iteration",
		"eta = 1..2\nshrinkage_rate = 0.1..1": "twice",
		"num_leaves":                          "space:1",
	} {
		_, err := readSpace(text)
		require.Error(t, err, text)
		if !strings.HasPrefix(want, "num_leafs") {
			assert.ErrorContains(t, err, want, text)
		}
	}
	_, err := readSpace("num_leafs = 3..9")
	assert.ErrorContains(t, err, "did you mean num_leaves?")
	assert.ErrorContains(t, err, "space:1")
}

func FuzzReadSpace(f *testing.F) {
	f.Add("learning_rate = 0.01..0.3 log\nobjective = lambdarank|rank_xendcg\n")
	f.Add("num_leaves = 7..127\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := readSpace(text)
		if err != nil {
			return
		}
		for round := range 3 {
			p := booster.DefaultParams()
			_, err := p.Table().Apply(s.settings(random.New(0, 1, round).Float64))
			require.NoError(t, err)
		}
	})
}

// TestDefaultSpaces: the default spaces are valid, and exclude parameters that the user sets.
func TestDefaultSpaces(t *testing.T) {
	for _, rows := range []int{10, 100_000, 2_000_000} {
		s, err := newSpace(defaultSpace(&dataset.Meta{Labels: make([]float64, rows)}))
		require.NoError(t, err)
		assert.Len(t, s, 10)
		s, err = newSpace(defaultSpace(&dataset.Meta{Labels: make([]float64, rows)}, "bagging_fraction", "objective"))
		require.NoError(t, err)
		assert.Len(t, s, 7)
	}
}

// TestSuggest: the suggestion is a mean if that is permitted. Otherwise it has no symmetric trees, which
// categories do not permit.
func TestSuggest(t *testing.T) {
	m := &dataset.Meta{Labels: make([]float64, 100)}
	for name, c := range map[string]struct {
		change  func(p *booster.Params, m *dataset.Meta)
		without string
		first   int
		average bool
	}{
		"small":        {func(*booster.Params, *dataset.Meta) {}, "", 4, true},
		"one model":    {func(*booster.Params, *dataset.Meta) {}, "num_models", 4, false},
		"given growth": {func(*booster.Params, *dataset.Meta) {}, "grow_policy", 0, true},
		"categories":   {func(p *booster.Params, _ *dataset.Meta) { p.CategoricalFeature = "0" }, "", 0, false},
		"many rows": {func(_ *booster.Params, m *dataset.Meta) {
			m.Labels = make([]float64, 60_000)
			m.Labels[0] = 1
			m.Queries = []dataset.Query{{Len: 60_000}}
		}, "", 4, true},
	} {
		p, m := booster.DefaultParams(), *m
		c.change(&p, &m)
		o := TuneOptions{Given: []string{c.without}}
		o.suggest(&p, &m)
		assert.Len(t, o.first, c.first, name)
		assert.Equal(t, c.average, o.average, name)
		sampled := slices.ContainsFunc(o.Space, func(d param.Setting) bool { return d.Name == "bagging_fraction" })
		assert.True(t, sampled, name)
		assert.Equal(t, c.first > 0, slices.ContainsFunc(o.Space, func(d param.Setting) bool { return d.Name == "grow_policy" }), name)
	}
}

// TestCautions: cautions name settings without effect in all trials, but not those without effect in some.
func TestCautions(t *testing.T) {
	p := booster.DefaultParams()
	for _, rows := range []int{100, 60_000, 2_000_000} {
		s, err := newSpace(defaultSpace(&dataset.Meta{Labels: make([]float64, rows)}))
		require.NoError(t, err)
		assert.Empty(t, tuneCautions(&p, s), "%d rows", rows)
		q := p
		q.YetirankPermutations++
		assert.Empty(t, tuneCautions(&q, s), "one objective uses it")
		q = p
		q.LambdalossMu++
		assert.Len(t, tuneCautions(&q, s), 1)
	}
}

// TestNearest: the settings that are nearest to those of a point are these, and values outside of the space are
// moved to its ends.
func TestNearest(t *testing.T) {
	s := dimensions(t, someSpace+"lambda_l2 = 0..9\n")
	for round := range 20 {
		want := s.settings(random.New(1, random.SearchSpace, round).Float64)
		got, err := s.nearest(booster.DefaultParams(), want)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	got, err := s.nearest(booster.DefaultParams(), []param.Setting{{Name: "num_leaves", Value: "100"}})
	require.NoError(t, err)
	assert.Equal(t, "31", got[1].Value)
	_, err = s.nearest(booster.DefaultParams(), []param.Setting{{Name: "num_leafs", Value: "100"}})
	require.ErrorContains(t, err, "did you mean num_leaves?")
}
