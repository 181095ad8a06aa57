package study

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/explain"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/metric"
)

// planted is data in which grades depend on the first features, in the order of their weights. Then come a
// copy of feature 0, one of feature 1 with noise, and features that say nothing, of different kinds: the last
// of them is constant.
const (
	informative = 4
	copyOf0     = informative
	noisyOf1    = informative + 1
	selectNoise = informative + 2
	planted     = 20
	documents   = 10
)

// selectRows returns the feature values of planted data, and the grades.
func selectRows(seed uint64, queries int) (values [][]float64, labels []float64, sizes []int) {
	rng := rand.New(rand.NewPCG(seed, 0))
	for range queries {
		sizes = append(sizes, documents)
		level := rng.NormFloat64() // same for a whole query, so it cannot help to rank its documents
		for range documents {
			x := make([]float64, planted)
			grade := 1.0 + rng.NormFloat64()/3
			for f := range informative {
				x[f] = rng.NormFloat64()
				grade += x[f] / float64(f+1)
			}
			x[copyOf0], x[noisyOf1] = x[0], x[1]+rng.NormFloat64()/10
			for f := selectNoise; f < planted-1; f++ {
				x[f] = []float64{rng.NormFloat64(), float64(rng.IntN(3)), rng.ExpFloat64(), level + rng.Float64()/10}[f%4]
			}
			if rng.IntN(20) == 0 {
				x[selectNoise] = math.NaN()
			}
			values, labels = append(values, x), append(labels, math.Round(max(0, min(4, grade))))
		}
	}
	return values, labels, sizes
}

// selectSets returns planted training data, and validation and test queries with the same bins.
func selectSets(t testing.TB, queries ...int) []booster.Data {
	t.Helper()
	all, p := []booster.Data{}, booster.DefaultParams()
	var mapper *histogram.Mapper
	for i, n := range queries {
		src, err := dataset.FromRows(selectRows(uint64(i+1), n))
		require.NoError(t, err)
		if mapper == nil {
			sample, err := histogram.Read(t.Context(), src, p.BinParams())
			require.NoError(t, err)
			mapper = sample.Mapper
		}
		bins, meta, err := mapper.Bin(t.Context(), src)
		require.NoError(t, err)
		all = append(all, booster.Data{Name: fmt.Sprintf("set %d", i), Meta: meta, Values: bins})
	}
	return all
}

func selectParams() booster.Params {
	p := booster.DefaultParams()
	p.NumLeaves, p.NumIterations, p.Patience, p.StopMetric, p.NumThreads = 8, 60, 10, "ndcg@5", 1
	return p
}

func selected(t testing.TB, p booster.Params, d []booster.Data, o SelectOptions) *SelectResult {
	t.Helper()
	r, err := Select(t.Context(), p, Data{Train: d[0], Valid: &d[1]}, o)
	require.NoError(t, err)
	return r
}

// quickSelect returns options with few random draws for intervals and tests.
func quickSelect() SelectOptions {
	o := SelectOptions{}
	o.Tests = metric.TestOptions{Level: 0.95, Resamples: 300, Trials: 2000, Seed: 1, Workers: 1}
	return o
}

// secondsField matches the only fields that differ from run to run.
var secondsField = regexp.MustCompile(`"seconds": [0-9.e+-]+`)

// selectEverything returns everything that a result writes except times.
func selectEverything(t *testing.T, r *SelectResult) string {
	t.Helper()
	return secondsField.ReplaceAllString(shown(t, &r.document), "") + strings.Join(r.Features(), "\n")
}

// TestFindsInformative: the selection has informative features and no noise. Each set has the most important
// features of the one before, and sets shrink by a fifth until one is worse.
func TestFindsInformative(t *testing.T) {
	d := selectSets(t, 300, 200)
	r := selected(t, selectParams(), d, quickSelect())
	ranked, _ := rank(r.Steps[0].Importance)
	require.Greater(t, len(r.Steps), 3)
	for i, s := range r.Steps[1:] {
		before := r.Steps[i]
		require.Subset(t, before.Features, s.Features)
		require.LessOrEqual(t, len(s.Features), len(before.Features)-max(1, len(before.Features)/5))
		require.Subset(t, ranked[:len(s.Features)], s.Features)
		assert.Equal(t, i+2 < len(r.Steps), s.Accepted, "step %d", s.Number)
	}
	assert.Same(t, r.Steps[len(r.Steps)-2], r.Chosen)
	chosen := r.Chosen.Features
	assert.True(t, slices.Contains(chosen, 0) || slices.Contains(chosen, copyOf0), "%v", chosen)
	assert.True(t, slices.Contains(chosen, 1) || slices.Contains(chosen, noisyOf1), "%v", chosen)
	assert.Contains(t, chosen, 2)
	assert.LessOrEqual(t, slices.Max(chosen), noisyOf1, "noise: %v", chosen)
	assert.NotContains(t, r.all().Features, planted-1, "it is constant")
	for _, i := range r.Steps[0].Importance {
		assert.LessOrEqual(t, i.Low, i.Drop)
		assert.LessOrEqual(t, i.Drop, i.High)
	}
}

// TestImportanceOfValues: importance measured on bins equals what package explain measures on the values.
func TestImportanceOfValues(t *testing.T) {
	d := selectSets(t, 120, 80)
	p := selectParams()
	p.Seed = 4
	s, err := newSelection(t.Context(), p, Data{Train: d[0], Valid: &d[1]}, SelectOptions{})
	require.NoError(t, err)
	fitted, err := s.begun.train(new(Trained), p, s.parts)
	require.NoError(t, err)
	got, err := s.measure(fitted)
	require.NoError(t, err)

	src, err := dataset.FromRows(selectRows(2, 80))
	require.NoError(t, err)
	e := explain.DefaultOptions()
	e.Queries, e.Cutoff = 80, 5
	loaded, err := explain.Load(t.Context(), src, fitted[0].Model, e)
	require.NoError(t, err)
	var want explain.Report
	require.NoError(t, want.Overview(t.Context(), loaded, 0.95))
	require.NotEmpty(t, want.Importance)
	for _, w := range want.Importance {
		at := slices.Index(d[0].Meta.Features, w.Feature)
		g := got[slices.IndexFunc(got, func(i FeatureImportance) bool { return i.Feature == at })]
		assert.InDelta(t, float64(w.Drop), g.Drop, 1e-12, w.Feature)
		assert.InDelta(t, float64(w.Low), g.Low, 1e-12, w.Feature)
		assert.Equal(t, w.Split, g.Split, w.Feature)
	}
}

// TestNumber: exactly the requested number of features is selected, even if the metric drops.
func TestNumber(t *testing.T) {
	d := selectSets(t, 90, 90)
	p := selectParams()
	p.NumIterations = 15
	for _, number := range []int{1, 2, 5, planted - 2} {
		o := quickSelect()
		o.Number = number
		r := selected(t, p, d, o)
		assert.Len(t, r.Chosen.Features, number)
		assert.Len(t, r.Features(), number)
		if number == 1 {
			assert.Contains(t, strings.Join(r.Warnings, "\n"), "is less than the data allow: it is worse")
		}
	}
}

// TestMeasuringTellsHowFarItIs: also with thousands of features, measuring their importance is not silent.
func TestMeasuringTellsHowFarItIs(t *testing.T) {
	d, p, o := selectSets(t, 20, 20), booster.DefaultParams(), quickSelect()
	p.NumIterations, p.NumThreads = 2, 1
	told := map[string]Progress{}
	o.Number, o.Progress = 1, func(p Progress) { told[p.Part] = p }
	selected(t, p, d, o)
	last := told["features permuted"]
	assert.Positive(t, last.Of)
	assert.Equal(t, last.Of, last.Done)
}

func TestRefuses(t *testing.T) {
	d := selectSets(t, 40, 30)
	for name, c := range map[string]struct {
		change func(p *booster.Params, o *SelectOptions)
		want   string
		is     error
	}{
		"number": {func(p *booster.Params, o *SelectOptions) { o.Number = planted - 1 }, "want fewer", ErrNumber},
		"dart": {func(p *booster.Params, o *SelectOptions) { p.Boosting, p.Patience = booster.DART, 0 },
			"boosting=dart", ErrDART},
		"context": {func(p *booster.Params, o *SelectOptions) { p.QueryContext = []string{"rank"} },
			"lambdamart transform", nil},
	} {
		p, o := selectParams(), quickSelect()
		c.change(&p, &o)
		_, err := Select(t.Context(), p, Data{Train: d[0], Valid: &d[1]}, o)
		require.ErrorContains(t, err, c.want, name)
		if c.is != nil {
			assert.ErrorIs(t, err, c.is, name)
		}
	}
}
