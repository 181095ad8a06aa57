package study

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/widened"
	"github.com/lambdamart/lambdamart/param"
)

// shifted returns the same data without query context and with the context rank. Labels depend on the first
// of three features, to which each query adds a random number between 0 and shift, so that the rank of the
// feature is more informative than its value.
func shifted(t testing.TB, shift float64) (raw, wide booster.Data) {
	t.Helper()
	rng := rand.New(rand.NewPCG(21, 0))
	var values [][]float64
	var labels []float64
	var sizes []int
	for range 120 {
		sizes = append(sizes, 8)
		own := shift * rng.Float64()
		for range 8 {
			x := rng.NormFloat64()
			values = append(values, []float64{own + x, rng.NormFloat64(), rng.Float64()})
			labels = append(labels, math.Round(max(0, min(4, 1+x+0.5*rng.NormFloat64()))))
		}
	}
	src, err := dataset.FromRows(values, labels, sizes)
	require.NoError(t, err)
	wider, err := widened.Ask(t.Context(), src, widened.Request{Kinds: []string{"rank"}})
	require.NoError(t, err)
	return binned(t, src), binned(t, wider)
}

// contextParams returns parameters that request query context.
func contextParams() booster.Params {
	p := tuneParams()
	p.QueryContext, p.QueryContextFeatures = []string{"rank"}, "auto"
	return p
}

// curves returns the trials' settings and results, without their numbers, as text.
func curves(trials []*Trial) (texts []string) {
	for _, t := range trials {
		texts = append(texts, fmt.Sprint(t.Settings, t.Curve, t.PerQuery))
	}
	return texts
}

// TestContextEarnsItsPlace: query context is chosen if raw values are less informative, and later trials
// use it.
func TestContextEarnsItsPlace(t *testing.T) {
	raw, wide := shifted(t, 6)
	o := TuneOptions{Space: space(t, someSpace), first: twoObjectives, average: true, Trials: 13, EarnContext: true}
	r, err := Tune(t.Context(), contextParams(), inFolds(t, wide, 3, 0), o)
	require.NoError(t, err)
	require.NotNil(t, r.Context)
	assert.True(t, r.Context.Decided)
	assert.True(t, r.Context.Taken, r.Context)
	assert.Greater(t, r.Context.Difference, r.Context.Error)
	assert.Contains(t, strings.Join(r.Warnings, "\n"), "it is used. Such a model scores whole queries only")
	for _, trial := range r.Trials {
		assert.Equal(t, trial.Number > 2, trial.Wide, "trial %d", trial.Number)
	}
	assert.Equal(t, []int{1, 2}, []int{r.Trials[3].Parent, r.Trials[4].Parent}, "as in a mean")
	assert.Equal(t, r.Trials[3:5], r.Models, "the mean of the same models with query context")
	p := r.Params()
	assert.Equal(t, []string{"rank"}, p.QueryContext)
	assert.Empty(t, p.QueryContextFeatures)
	var config strings.Builder
	require.NoError(t, r.config(&config))
	assert.Contains(t, config.String(), "query_context = rank\n")

	// The first trials equal those of a search on data without the context columns.
	o.Trials, o.EarnContext = 2, false
	plain, err := Tune(t.Context(), tuneParams(), inFolds(t, raw, 3, 0), o)
	require.NoError(t, err)
	assert.Equal(t, curves(plain.Trials), curves(r.Trials[:3]))
}

// TestMeanWithContext: an averaged model equals the model trained with its parameters.
func TestMeanWithContext(t *testing.T) {
	_, wide := shifted(t, 15)
	d, valid := selectedQueries(wide, "training", numbersBetween(0, 80)), selectedQueries(wide, "valid", numbersBetween(80, 120))
	o := TuneOptions{Space: space(t, someSpace), first: twoObjectives, average: true, Trials: 4, EarnContext: true}
	r, err := Tune(t.Context(), contextParams(), Data{Train: d, Valid: &valid}, o)
	require.NoError(t, err)
	require.True(t, r.Context.Taken, r.Context)
	require.Len(t, r.Models, 2)
	requireTrained(t, r, d, valid)
}

// TestContextIsLeftOut: if context does not help, the search continues as without it.
func TestContextIsLeftOut(t *testing.T) {
	_, wide := shifted(t, 0)
	o := TuneOptions{Space: space(t, someSpace), Trials: 14, EarnContext: true, Options: Options{Keep: &Store{Folder: t.TempDir(), Program: "test"}}}
	r, err := Tune(t.Context(), contextParams(), inFolds(t, wide, 3, 0), o)
	require.NoError(t, err)
	assert.True(t, r.Context.Decided)
	assert.False(t, r.Context.Taken, r.Context)
	assert.Contains(t, r.Context.text(), "it is not used")
	wider := slices.DeleteFunc(slices.Clone(r.Trials), func(t *Trial) bool { return !t.Wide })
	require.Len(t, wider, 1, "the best one so far, with query context")
	assert.Equal(t, trialSteps, wider[0].Step)
	assert.NotContains(t, r.Models, wider[0])
	assert.Empty(t, r.Params().QueryContext)
	var config strings.Builder
	r.given = []param.Setting{{Name: "query_context", Value: "rank"}, {Name: "query_context_features", Value: "auto"}}
	require.NoError(t, r.config(&config))
	assert.NotContains(t, config.String(), "query_context")

	// Stored trials with and without query context are not confused.
	again, err := Tune(t.Context(), contextParams(), inFolds(t, wide, 3, 0), o)
	require.NoError(t, err)
	assert.Equal(t, tuneEverything(r), tuneEverything(again))
	assert.Equal(t, len(r.Trials), keptTrials(again))
}

// TestContextNeedsBudgetAndData: context is not used if there are no trials to compare; if the columns are
// missing, it is
// an error.
func TestContextNeedsBudgetAndData(t *testing.T) {
	raw, wide := shifted(t, 8)
	o := TuneOptions{Space: space(t, someSpace), first: twoObjectives, average: true, Trials: 3, EarnContext: true}
	r, err := Tune(t.Context(), contextParams(), inFolds(t, wide, 3, 0), o)
	require.NoError(t, err)
	assert.Equal(t, &TuneContext{Kinds: []string{"rank"}}, r.Context)
	assert.Contains(t, strings.Join(r.Warnings, "\n"), "query_context=rank was not compared with none")
	for _, m := range r.Models {
		assert.False(t, m.Wide)
	}
	o.Trials = 1
	r, err = Tune(t.Context(), contextParams(), inFolds(t, wide, 3, 0), o)
	require.NoError(t, err)
	assert.False(t, r.Context.Decided)

	_, err = Tune(t.Context(), contextParams(), inFolds(t, raw, 3, 0), o)
	require.ErrorIs(t, err, ErrContext)
	_, err = Tune(t.Context(), tuneParams(), inFolds(t, wide, 3, 0), o)
	require.ErrorIs(t, err, ErrContext)
}
