package rounds_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/training"
)

// rows is data with the given number of rows, whose values are never read.
type rows int

func (r rows) NumRows() int { return int(r) }

func (r rows) Fingerprint(int, int) (numbers, text string, sums [2]uint64) { return "", "", sums }

// pair is a set with one query of a good document and a bad one.
func pair(name string) training.Data[rows] {
	meta := &dataset.Meta{Queries: []dataset.Query{{ID: "q", Len: 2}}, Labels: []float64{1, 0}}
	return training.Data[rows]{Name: name, Meta: meta, Values: 2}
}

// follower is a learner with predefined scores of the good document for each round and evaluated set; the
// bad document's score is 0. Its model is the number of the requested round.
type follower struct {
	scores [][]float64 // by round, then set
	reason training.StopReason
	err    error
	round  int
	seen   []float64
	bests  []bool
}

func (f *follower) step(ctx context.Context, run *rounds.Run[int]) (r training.Round, err error) {
	defer run.Guard(&r, &err)
	if err := run.Begin(ctx, &r); err != nil {
		return r, err
	}
	if r.Number > len(f.scores) {
		err = run.Finish(&r, f.reason, f.err)
		return r, err
	}
	f.round, r.Leaves = r.Number, 10*r.Number
	err = run.Finish(&r, "", nil)
	return r, err
}

func (f *follower) Scores() ([][]float64, error) {
	var all [][]float64
	for _, score := range f.scores[f.round-1] {
		all = append(all, []float64{score, 0})
	}
	return all, nil
}

func (f *follower) See(round int, value float64, best bool) {
	f.seen, f.bests = append(f.seen, value), append(f.bests, best)
}

func (f *follower) Model(round int) int { return round }

func (f *follower) KeepsRounds() bool { return false }

// topScore is a custom metric: the score of the first document.
type topScore struct{ name string }

func (m topScore) Name() string                  { return m.name }
func (m topScore) Convention() metric.Convention { return metric.Default() }
func (m topScore) Query(_, scores []float64) (float64, bool) {
	return scores[0], true
}

// scored is a learner with one evaluated set.
func scored(scores ...float64) *follower {
	f := &follower{}
	for _, score := range scores {
		f.scores = append(f.scores, []float64{score})
	}
	return f
}

// evaluator evaluates the metric top. The training data has the same name as a validation set.
func evaluator(t *testing.T, p *training.Params, most int, valid ...training.Data[rows]) *rounds.Evaluator {
	t.Helper()
	metrics, err := rounds.Metrics(p, metric.Exp2(), topScore{"top"})
	require.NoError(t, err)
	e, err := rounds.NewEvaluator(p, most, pair("b"), valid, metrics)
	require.NoError(t, err)
	return e
}

// follow trains a learner with one validation set by the metric top, which params may watch.
func follow(t *testing.T, p training.Params, rounds int, l *follower,
	hook func(training.Round)) *training.Result[int] {
	t.Helper()
	r, err := run(t.Context(), evaluator(t, &p, rounds, pair("valid")), l, hook)
	require.NoError(t, err)
	return r
}

// run steps a run without checkpoints to its end.
func run(ctx context.Context, e *rounds.Evaluator, l *follower,
	hook func(training.Round)) (*training.Result[int], error) {
	r, err := rounds.New(e, l, training.Options{})
	if err == nil {
		step := func(ctx context.Context) (training.Round, error) { return l.step(ctx, r) }
		err = rounds.Loop(ctx, r.Rounds(), step, hook)
	}
	if err != nil {
		return nil, err
	}
	return r.Result(), nil
}

func byTop(patience int) training.Params {
	p := training.DefaultParams()
	p.Metric, p.StopMetric, p.Patience = []string{"ndcg@1"}, "top", patience
	return p
}

// TestOwnMetricStopsTraining: early stopping watches a metric that no register has.
func TestOwnMetricStopsTraining(t *testing.T) {
	l := scored(1, 3, 2, 3, 2, 9)
	var rounds []training.Round
	r := follow(t, byTop(3), 6, l, func(r training.Round) { rounds = append(rounds, r) })
	assert.Equal(t, &training.Result[int]{Model: 2, Rounds: 5, Kept: 2, Stopped: training.StoppedEarly,
		Best: 2, BestValue: 3, Watched: "top on valid"}, r)
	assert.Equal(t, []float64{1, 3, 2, 3, 2}, l.seen)
	assert.Equal(t, []bool{true, true, false, false, false}, l.bests)
	require.Len(t, rounds, 5)
	last := rounds[4]
	assert.Equal(t, []int{5, 50}, []int{last.Number, last.Leaves})
	assert.Positive(t, last.Seconds)
	require.Len(t, last.Evaluations, 2)
	assert.Equal(t, "ndcg@1", last.Evaluations[0].Result.Metric)
	assert.Equal(t, "top", last.Evaluations[1].Result.Metric)
	assert.Equal(t, 2.0, last.Evaluations[1].Result.Mean)
	assert.Equal(t, "valid", last.Evaluations[1].Set)
}

// TestNothingToWatch: patience without a metric is an error, and not a training run that never stops early.
func TestNothingToWatch(t *testing.T) {
	p := byTop(3)
	p.Metric, p.StopMetric = nil, ""
	_, err := rounds.NewEvaluator(&p, 3, pair("training"), []training.Data[rows]{pair("valid")},
		[]metric.Metric{topScore{"top"}})
	require.ErrorContains(t, err, "early stopping needs a metric to watch: name one in stop_metric")
	assert.ErrorIs(t, rounds.Check(&p, rounds.Table(&p, words), metric.Exp2()), err, "before data are read")
	p.Patience = 0
	_, err = rounds.NewEvaluator(&p, 3, pair("training"), []training.Data[rows]{pair("valid")},
		[]metric.Metric{topScore{"top"}})
	assert.NoError(t, err)
	assert.NoError(t, rounds.Check(&p, rounds.Table(&p, words), metric.Exp2()))
	p = byTop(3)
	p.StopMetric = "map"
	_, err = rounds.NewEvaluator(&p, 3, pair("training"), []training.Data[rows]{pair("valid")},
		[]metric.Metric{topScore{"top"}})
	assert.ErrorContains(t, err, "early stopping watches map, which is not among the metrics")
}

// TestWithoutPatience: the best round is reported, and the model is the last one.
func TestWithoutPatience(t *testing.T) {
	r := follow(t, byTop(0), 3, scored(1, 3, 2), nil)
	assert.Equal(t, &training.Result[int]{Rounds: 3, Kept: 3, Stopped: training.Finished, Best: 2, BestValue: 3,
		Watched: "top on valid"}, r)
}

// TestMinDelta: rises of at most MinDelta do not count, even if there are many.
func TestMinDelta(t *testing.T) {
	p := byTop(3)
	p.MinDelta = 0.1
	r := follow(t, p, 9, scored(0.5, 0.55, 0.61, 0.7, 0.71, 0.71, 0.9), nil)
	assert.Equal(t, []any{3, 6, 0.61}, []any{r.Best, r.Rounds, r.BestValue})
}

// TestMetricFreq: without early stopping, metrics are due every MetricFreq rounds and after the last one.
func TestMetricFreq(t *testing.T) {
	p := byTop(0)
	p.MetricFreq = 3
	var evaluated []int
	note := func(r training.Round) {
		if len(r.Evaluations) > 0 {
			evaluated = append(evaluated, r.Number)
		}
	}
	follow(t, p, 4, scored(0, 0, 5, 6), note)
	assert.Equal(t, []int{3, 4}, evaluated)
}

// TestMetricFreqLeavesEarlyStoppingAlone: as in LightGBM, early stopping judges each round.
func TestMetricFreqLeavesEarlyStoppingAlone(t *testing.T) {
	for _, freq := range []int{1, 4, 100} {
		p := byTop(4)
		p.MetricFreq = freq
		evaluated := 0
		r := follow(t, p, 20, scored(0, 0, 5, 0, 0, 4, 0, 0, 4, 0),
			func(r training.Round) { evaluated += min(1, len(r.Evaluations)) })
		assert.Equal(t, []any{3, 7, training.StoppedEarly, 7}, []any{r.Best, r.Rounds, r.Stopped, evaluated}, freq)
	}
}

// TestLearnerEndsTraining: the round in which the learner ends training is not counted. After an explosion
// the model is the best one, even without early stopping.
func TestLearnerEndsTraining(t *testing.T) {
	l := scored(2, 1)
	l.reason = training.NoSplitsRemain
	r := follow(t, byTop(0), 9, l, nil)
	assert.Equal(t, []any{2, 2, 0, training.NoSplitsRemain}, []any{r.Rounds, r.Kept, r.Model, r.Stopped})
	l.reason = training.Exploded
	r = follow(t, byTop(0), 9, l, nil)
	assert.Equal(t, []any{2, 1, 1, training.Exploded}, []any{r.Rounds, r.Kept, r.Model, r.Stopped})
}

// TestCanceled: training ends before the next round, which is not an error.
func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := byTop(5)
	r, err := run(ctx, evaluator(t, &p, 9, pair("valid")), scored(2, 1, 1), func(r training.Round) {
		if r.Number == 2 {
			cancel()
		}
	})
	require.NoError(t, err)
	assert.Equal(t, []any{2, 1, training.Canceled}, []any{r.Rounds, r.Kept, r.Stopped})
}

// TestSets: the training data comes first if it is evaluated, and is never watched, even under the
// name of a validation set.
func TestSets(t *testing.T) {
	p := byTop(1)
	p.IsTrainingMetric, p.StopSet = true, "b"
	both := func() (r *training.Result[int], sets []string) {
		l := &follower{scores: [][]float64{{1, 1, 5}, {2, 2, 4}, {3, 3, 3}}}
		r, err := run(t.Context(), evaluator(t, &p, 3, pair("a"), pair("b")), l, func(r training.Round) {
			for _, evaluation := range r.Evaluations {
				sets = append(sets, evaluation.Set)
			}
		})
		require.NoError(t, err)
		return r, sets
	}
	r, sets := both()
	assert.Equal(t, []any{1, 5.0, "top on b", 2}, []any{r.Best, r.BestValue, r.Watched, r.Rounds})
	assert.Equal(t, []string{"b", "b", "a", "a", "b", "b"}, sets[:6], "two metrics each")
	p.StopSet = ""
	r, _ = both()
	assert.Equal(t, []any{3, 3.0, "top on a", 3}, []any{r.Best, r.BestValue, r.Watched, r.Rounds})
}

// TestNothingIsEvaluated: without sets no scores are asked for.
func TestNothingIsEvaluated(t *testing.T) {
	p := training.DefaultParams()
	e := evaluator(t, &p, 2)
	assert.False(t, e.Watches())
	r, err := run(t.Context(), e, scored(1, 2), nil)
	require.NoError(t, err)
	assert.Equal(t, &training.Result[int]{Rounds: 2, Kept: 2, Stopped: training.Finished}, r)
}

// TestCheckFindsLabelsThatCannotBeJudged: such labels are an error before the first round.
func TestCheckFindsLabelsThatCannotBeJudged(t *testing.T) {
	p := training.DefaultParams()
	valid := pair("valid")
	valid.Meta.Labels[1] = -1
	e := evaluator(t, &p, 2, valid)
	_, err := run(t.Context(), e, scored(1), nil)
	assert.ErrorContains(t, err, "valid: label -1 in row 1 of query")
}

// TestTooManyRows: learners number rows by int32.
func TestTooManyRows(t *testing.T) {
	defer rounds.SetMaxRows(1)()
	p := training.DefaultParams()
	_, err := rounds.NewEvaluator(&p, 3, pair("training"), nil, nil)
	assert.EqualError(t, err, `data "training": 2 rows; training takes at most 1`)
}

func TestDataThatDoNotFit(t *testing.T) {
	short, empty := pair("short"), training.Data[rows]{Name: "empty", Meta: &dataset.Meta{}, Values: 1}
	short.Values = 1
	stops := byTop(1)
	other := byTop(0)
	other.StopSet = "c"
	type set = training.Data[rows]
	for _, c := range []struct {
		p     training.Params
		train set
		valid []set
		want  string
	}{
		{training.DefaultParams(), short, nil, `data "short": 2 labels for 1 row of values`},
		{training.DefaultParams(), pair("a"), []set{pair("b"), short},
			`data "short": 2 labels for 1 row of values`},
		{training.DefaultParams(), empty, nil, `data "empty": no rows`},
		{training.DefaultParams(), set{Name: "none"}, nil, `data "none": Meta or Values is missing`},
		{training.DefaultParams(), set{Name: "none", Meta: pair("").Meta}, nil,
			`data "none": Meta or Values is missing`},
		{training.DefaultParams(), pair("b"), []set{pair("b"), pair("b")},
			`data "b": two validation sets of that name`},
		{stops, pair("a"), nil, "early stopping needs validation data: give valid=FILE, or patience=0"},
		{other, pair("a"), []set{pair("a"), pair("b")}, "stop_set=c: no such validation set; there are: a, b"},
	} {
		_, err := rounds.NewEvaluator(&c.p, 1, c.train, c.valid, nil)
		assert.ErrorContains(t, err, c.want)
	}
}

// TestCheckpointsNeedALearner: a learner that cannot be stored is an error before the first round.
func TestCheckpointsNeedALearner(t *testing.T) {
	p := byTop(1)
	_, err := rounds.New(evaluator(t, &p, 3, pair("valid")), scored(1),
		training.Options{Checkpoints: &training.Checkpoints{Path: "c"}})
	assert.ErrorIs(t, err, training.ErrNotResumable)
	r, err := rounds.New(evaluator(t, &p, 3, pair("valid")), scored(1), training.Options{})
	require.NoError(t, err)
	assert.ErrorIs(t, r.Save(io.Discard), training.ErrNotResumable)
	assert.ErrorIs(t, r.Restore(strings.NewReader("")), training.ErrNotResumable)
}

// TestStep: a run does one round per call, ends with io.EOF and a reason, and stays ended.
func TestStep(t *testing.T) {
	p := byTop(2)
	l := scored(1, 3, 2, 2, 9)
	r, err := rounds.New(evaluator(t, &p, 9, pair("valid")), l, training.Options{})
	require.NoError(t, err)
	for number := range 4 {
		assert.Equal(t, number, len(r.Rounds()))
		assert.Empty(t, r.Reason())
		round, err := l.step(t.Context(), r)
		require.NoError(t, err)
		assert.Equal(t, number+1, round.Number)
	}
	for range 2 {
		_, err = l.step(t.Context(), r)
		assert.Equal(t, io.EOF, err)
		assert.Equal(t, training.StoppedEarly, r.Reason())
	}
	rounds := r.Rounds()
	require.Len(t, rounds, 4)
	assert.Equal(t, 3.0, rounds[1].Evaluations[1].Result.Mean)
	for round, want := range map[int]int{0: 0, 2: 2, 4: 0} { // what the learner is asked for
		m, err := r.Model(round)
		require.NoError(t, err)
		assert.Equal(t, want, m)
	}
	for _, round := range []int{-1, 1, 3, 5} {
		_, err = r.Model(round)
		assert.Error(t, err, round)
	}
}

// TestAFailedRunStaysFailed: no round is done after an error.
func TestAFailedRunStaysFailed(t *testing.T) {
	p, l := byTop(0), scored()
	l.err = errors.New("broken")
	r, err := rounds.New(evaluator(t, &p, 9, pair("valid")), l, training.Options{})
	require.NoError(t, err)
	for range 2 {
		_, err = l.step(t.Context(), r)
		assert.Equal(t, l.err, err)
		l.scores = [][]float64{{1}}
	}
}
