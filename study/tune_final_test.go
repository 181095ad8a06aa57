package study

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/param"
)

// twoObjectives are settings of first trials with two objectives.
var twoObjectives = [][]param.Setting{
	{{Name: "objective", Value: "rank_xendcg"}, {Name: "num_leaves", Value: "4"}},
	{{Name: "objective", Value: "lambdarank"}, {Name: "num_leaves", Value: "4"}},
}

// TestMeanIsTheModelOfItsParameters: a mean of models has the same value as the model that booster.Train
// fits with Result.Params, and the configuration has the same parameters.
func TestMeanIsTheModelOfItsParameters(t *testing.T) {
	whole := tuneData(t, 18, 90, 1)
	d, valid := selectedQueries(whole, "training", numbersBetween(0, 60)),
		selectedQueries(whole, "valid", numbersBetween(60, 90))
	o := TuneOptions{Space: space(t, someSpace), preset: twoObjectives, Trials: 2}
	p := tuneParams()
	p.Seed = 9
	r, err := Tune(t.Context(), p, Data{Train: d, Valid: &valid}, o)
	require.NoError(t, err)
	require.Len(t, r.Models, 2)
	for i, name := range []string{"rank_xendcg", "lambdarank"} {
		assert.Equal(t, name, r.Models[i].params.Objective)
		assert.Equal(t, trialSteps, r.Models[i].Step)
	}
	requireTrained(t, r, d, valid)
	final := r.Params()

	var text strings.Builder
	r.given = []param.Setting{{Name: "num_leaves", Value: "9"}, {Name: "patience", Value: "3"},
		{Name: "lambda_l1", Value: "0"}}
	require.NoError(t, r.config(&text))
	settings, err := param.ReadConfig(strings.NewReader(text.String()), "train.conf")
	require.NoError(t, err)
	q := booster.DefaultParams()
	_, err = q.Table().Apply(settings)
	require.NoError(t, err)
	q.NumThreads, q.Seed, q.Metric = final.NumThreads, final.Seed, final.Metric
	assert.Equal(t, []string{"rank_xendcg", "lambdarank"}, q.ModelObjectives)
	assert.Equal(t, final, q)
	assert.Contains(t, r.Finding, "the mean of the models of trials 1 to 2 has")
}

// requireTrained requires that booster.Train with Result.Params gives the value that the search had.
func requireTrained(t *testing.T, r *TuneResult, d, valid booster.Data) {
	t.Helper()
	final := r.Params()
	require.NoError(t, final.Validate(nil))
	fitted, err := booster.Train(t.Context(), final, d, nil, booster.Options{})
	require.NoError(t, err)
	scores := make([]float64, valid.Meta.NumRows())
	require.NoError(t, booster.Scores(scores, fitted.Model, valid.Values, 1))
	results, err := metric.Evaluate([]metric.Metric{metric.NDCG(metric.Default(), 5)}, valid.Meta, scores, 1)
	require.NoError(t, err)
	require.InDelta(t, results[0].Mean, r.Value, 1e-9)
}

// judgedTrials returns a search with completed trials that have these values on each query, the base first.
// If usual is above 0, the trial of this number is the model of preset=auto.
func judgedTrials(usual int, values ...[]float64) *search {
	s := &search{}
	for n, perQuery := range values {
		trial := &Trial{Number: n, Step: trialSteps, Trained: Trained{PerQuery: perQuery}, params: tuneParams()}
		trial.Value = s.single(trial).value()
		s.trials = append(s.trials, trial)
	}
	if usual > 0 {
		s.usual = s.single(s.trials[usual])
	}
	return s
}

// TestOneStandardError: the model of preset=auto is preferred unless a trial is better by more than one
// standard error, or by three if it is a mean.
func TestOneStandardError(t *testing.T) {
	nan := math.NaN()
	base, preset := []float64{0.1, 0.2, 0.3, 0.2, nan}, []float64{0.5, 0.6, 0.7, 0.8, nan}
	other := []float64{0.9, 0.9, 0.4, 0.7, nan} // +.075, standard error .17
	s := judgedTrials(1, base, preset, other)
	assert.Same(t, s.usual, s.final())
	assert.InDelta(t, 0.65, s.final().value(), 1e-12, "NaN does not count")
	assert.Equal(t, 2, judgedTrials(0, base, preset, other).final().Models[0].Number,
		"without an earlier opinion")

	other = []float64{0.6, 0.7, 0.75, 0.8, nan} // +.0625, standard error .024
	s = judgedTrials(1, base, preset, other)
	assert.Equal(t, 2, s.final().Models[0].Number)
	s.usual.Models = append(s.usual.Models, s.trials[1])
	assert.Same(t, s.usual, s.final(), "a mean")
	assert.Zero(t, judgedTrials(1, base, base, base).final().Models[0].Number, "the defaults if all are as good")
}

// TestNoMeanWithoutScale: a mean needs models whose scores differ within queries.
func TestNoMeanWithoutScale(t *testing.T) {
	o := TuneOptions{Space: space(t, someSpace), preset: twoObjectives, Trials: 2}
	s, err := newSearch(t.Context(), tuneParams(), inFolds(t, tuneData(t, 13, 60, 1), 2, 0), o)
	require.NoError(t, err)
	require.NoError(t, s.begin())
	require.Len(t, s.usual.Models, 2)
	s.usual = nil
	for _, trial := range s.trials {
		trial.params.MinGainToSplit, trial.params.AllowConstant = 1e9, true
	}
	require.NoError(t, s.judgePreset(s.trials[1:]))
	assert.Nil(t, s.usual)
}
