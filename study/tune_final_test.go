package study

import (
	"errors"
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
	{{Name: "objective", Value: "lambdarank"}, {Name: "num_leaves", Value: "4"}}, // a duplicate
}

// TestMeanIsTheModelOfItsParameters: a mean of models has the same value as the model that booster.Train
// fits with
// Result.Params, and the configuration has the same parameters.
func TestMeanIsTheModelOfItsParameters(t *testing.T) {
	whole := tuneData(t, 18, 90, 1)
	d, valid := selectedQueries(whole, "training", numbersBetween(0, 60)), selectedQueries(whole, "valid", numbersBetween(60, 90))
	o := TuneOptions{Space: space(t, someSpace), first: twoObjectives, average: true, Trials: 2}
	p := tuneParams()
	p.Seed = 9
	r, err := Tune(t.Context(), p, Data{Train: d, Valid: &valid}, o)
	require.NoError(t, err)
	require.Len(t, r.Trials, 3, "equal settings are tried once")
	require.Len(t, r.Models, 2)
	for i, name := range []string{"rank_xendcg", "lambdarank"} {
		assert.Equal(t, name, r.Models[i].params.Objective)
		assert.Equal(t, trialSteps, r.Models[i].Step)
		assert.True(t, r.Models[i].Asked)
	}
	requireTrained(t, r, d, valid)
	final := r.Params()

	var text strings.Builder
	r.given = []param.Setting{{Name: "num_leaves", Value: "9"}, {Name: "patience", Value: "3"}, {Name: "lambda_l1", Value: "0"}}
	require.NoError(t, r.config(&text))
	settings, err := param.ReadConfig(strings.NewReader(text.String()), "train.conf")
	require.NoError(t, err)
	q := booster.DefaultParams()
	_, err = q.Table().Apply(settings)
	require.NoError(t, err)
	q.NumThreads, q.Seed, q.Metric = final.NumThreads, final.Seed, final.Metric
	assert.Equal(t, []string{"rank_xendcg", "lambdarank"}, q.ModelObjectives)
	assert.Equal(t, final, q)
	assert.Contains(t, r.Finding, "the mean of the models of trials 1 and 2 has")
}

// requireTrained requires that booster.Train with Result.Params gives the value that the search had.
func requireTrained(t *testing.T, r *TuneResult, d, valid booster.Data) {
	t.Helper()
	final := r.Params()
	require.NoError(t, final.Validate())
	fitted, err := booster.Train(t.Context(), final, d, nil, booster.Options{})
	require.NoError(t, err)
	scores := make([]float64, valid.Meta.NumRows())
	require.NoError(t, booster.Scores(scores, fitted.Model, valid.Values, 1))
	results, err := metric.Evaluate([]metric.Metric{metric.NDCG(metric.Default(), 5)}, valid.Meta, scores, 1)
	require.NoError(t, err)
	require.InDelta(t, results[0].Mean, r.Value, 1e-9)
}

// TestMeanOfFoldsGoesOn: the mean is the same when continued from stored trials, for any number of threads.
func TestMeanOfFoldsGoesOn(t *testing.T) {
	d := tuneData(t, 13, 50, 1)
	o := TuneOptions{Space: space(t, someSpace), first: twoObjectives, average: true, Trials: 11, Options: Options{Keep: &Store{Folder: t.TempDir(), Program: "test"}}}
	p := tuneParams()
	search := func() string {
		r, err := Tune(t.Context(), p, inFolds(t, d, 3, 0), o)
		require.NoError(t, err)
		return tuneEverything(r)
	}
	want := search()
	p.NumThreads = 7
	assert.Equal(t, want, search(), "from kept trials")
	o.Keep = nil
	assert.Equal(t, want, search(), "anew")

	// A search for one model stores no mean; one that needs it trains its models again.
	o.Keep, o.average = &Store{Folder: t.TempDir(), Program: "test"}, false
	assert.NotEqual(t, want, search())
	o.average = true
	assert.Equal(t, want, search())
}

// judgedTrials returns a search with completed trials that have the given values on each query.
func judgedTrials(t *testing.T, values map[string][]float64, asked ...string) *search {
	t.Helper()
	s := &search{trials: []*Trial{{Step: trialSteps, PerQuery: values["base"], params: tuneParams()}}}
	add := func(name string, isAsked bool) {
		trial := &Trial{Number: len(s.trials), Step: trialSteps, PerQuery: values[name], params: tuneParams(), Asked: isAsked}
		trial.Value = s.single(trial).value()
		s.trials = append(s.trials, trial)
	}
	add("other", false)
	for _, name := range asked {
		add(name, true)
	}
	s.trials[0].Value = s.single(s.trials[0]).value()
	return s
}

// TestOneStandardError: a trial that the caller asked for is preferred unless another one is better by more
// than a
// standard error.
func TestOneStandardError(t *testing.T) {
	nan := math.NaN()
	values := map[string][]float64{
		"base":  {0.1, 0.2, 0.3, 0.2, nan},
		"asked": {0.5, 0.6, 0.7, 0.8, nan},
		"other": {0.9, 0.9, 0.4, 0.7, nan}, // +.075, standard error .17
	}
	f := judgedTrials(t, values, "asked").final()
	assert.True(t, f.models[0].Asked)
	assert.InDelta(t, 0.65, f.value(), 1e-12, "NaN does not count")

	f = judgedTrials(t, values).final()
	assert.Equal(t, 1, f.models[0].Number, "without an earlier opinion, the largest value counts")

	values["better"] = []float64{0.6, 0.6, 0.7, 0.8, nan}
	f = judgedTrials(t, values, "asked", "better").final()
	assert.Equal(t, 3, f.models[0].Number, "the better one of those that were asked for")

	values["other"] = []float64{0.6, 0.7, 0.7, 0.9, nan} // +.075, standard error .025
	f = judgedTrials(t, values, "asked").final()
	assert.Equal(t, 1, f.models[0].Number)

	values["asked"], values["other"] = values["base"], values["base"]
	f = judgedTrials(t, values, "asked").final()
	assert.Zero(t, f.models[0].Number, "the defaults if all are as good")
}

// meanOfTwo returns a search with the trials of twoObjectives and their mean, which the caller may change.
func meanOfTwo(t *testing.T) *search {
	t.Helper()
	o := TuneOptions{Space: space(t, someSpace), first: twoObjectives, average: true, Trials: 2}
	o.Tests = metric.DefaultTestOptions()
	s, err := newSearch(t.Context(), tuneParams(), inFolds(t, tuneData(t, 13, 60, 1), 2, 0), o)
	require.NoError(t, err)
	require.NoError(t, s.trainBase())
	trials := s.draw(1)
	s.trials = append(s.trials, trials...)
	require.NoError(t, s.bracket(trials))
	require.NotNil(t, s.means[false])
	return s
}

// TestTrialReplacesTheMean: a trial that is better than the mean by more than one standard error is the
// result, with the seed of its model.
func TestTrialReplacesTheMean(t *testing.T) {
	s := meanOfTwo(t)
	require.Len(t, s.final().models, 2)
	for q := range s.means[false].perQuery {
		s.means[false].perQuery[q] = 0
	}
	s.trials[2].Value = 1
	r, err := s.result()
	require.NoError(t, err)
	require.Equal(t, []*Trial{s.trials[2]}, r.Models)
	assert.Equal(t, 2, r.Tests, "one of two trials")
	var config strings.Builder
	require.NoError(t, r.config(&config))
	assert.Contains(t, config.String(), "seed = 1\n", "the second model")
	assert.Equal(t, s.params.Seed+1, r.Params().Seed)
}

// TestNoMeanWithoutScale: a mean needs models whose scores differ within queries, and at least two.
func TestNoMeanWithoutScale(t *testing.T) {
	s := meanOfTwo(t)
	for _, trial := range s.trials[1:3] {
		trial.run = nil
		trial.params.MinGainToSplit, trial.params.AllowConstant = 1e9, true
	}
	mean, err := s.mean(s.trials[1:3])
	require.NoError(t, err)
	assert.Nil(t, mean)

	s = meanOfTwo(t)
	s.trials[2].Err, s.means[false] = errors.New("failed"), nil
	require.NoError(t, s.judgeMean(s.trials[1:3]))
	assert.Nil(t, s.means[false])
}
