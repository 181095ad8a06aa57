package study

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/training"
)

// randomData returns binned data with queries of 8 documents. Labels depend on two of four features and on
// noise.
func randomData(t testing.TB, seed uint64, queries int) booster.Data {
	rng := rand.New(rand.NewPCG(seed, 0))
	return drawnData(t, queries, func() ([]float64, float64) {
		x := []float64{rng.NormFloat64(), float64(rng.IntN(4)), rng.ExpFloat64(), rng.NormFloat64()}
		return x, x[0] + 0.5*x[1] + rng.NormFloat64()
	})
}

// drawnData returns binned data with queries of 8 documents, of which draw returns the features and, before
// it is rounded, the grade.
func drawnData(t testing.TB, queries int, draw func() (x []float64, grade float64)) booster.Data {
	t.Helper()
	values, labels := make([][]float64, 8*queries), make([]float64, 8*queries)
	for row := range values {
		x, grade := draw()
		values[row], labels[row] = x, math.Round(max(0, min(4, grade)))
	}
	src, err := dataset.FromRows(values, labels, slices.Repeat([]int{8}, queries))
	require.NoError(t, err)
	return binned(t, src)
}

// binned bins the data of a source.
func binned(t testing.TB, src dataset.Source) booster.Data {
	t.Helper()
	p := booster.DefaultParams()
	sample, err := histogram.Read(t.Context(), src, p.BinParams())
	require.NoError(t, err)
	bins, err := sample.Bin(t.Context(), src)
	require.NoError(t, err)
	return booster.Data{Name: "training", Meta: sample.Meta, Values: bins}
}

// parts divides data into n parts, drawn by the seed.
func parts(t testing.TB, d booster.Data, n int, seed uint64) []part {
	t.Helper()
	parts, err := newParts(d, draw(t, d, n, seed))
	require.NoError(t, err)
	return parts
}

// inFolds divides data into n folds, drawn by the seed.
func inFolds(t testing.TB, d booster.Data, n int, seed uint64) Data {
	t.Helper()
	return Data{Train: d, Folds: draw(t, d, n, seed)}
}

func params() booster.Params {
	p := booster.DefaultParams()
	p.NumIterations, p.NumLeaves, p.MinDataInLeaf, p.StopMetric, p.NumThreads = 30, 6, 10, "ndcg@5", 1
	return p
}

func draw(t testing.TB, d booster.Data, n int, seed uint64) Folds {
	t.Helper()
	f, err := DrawFolds(d.Meta, n, seed)
	require.NoError(t, err)
	return f
}

func run(t testing.TB, p booster.Params, d booster.Data, f Folds, o Options) *CVResult {
	t.Helper()
	r, err := CrossValidate(t.Context(), p, Data{Train: d, Folds: f}, o)
	require.NoError(t, err)
	return r
}

// everything returns all of a result except its times, as text.
func everything(t testing.TB, r *CVResult) string {
	t.Helper()
	var text bytes.Buffer
	for i := range r.Folds {
		r.Folds[i].Seconds, r.Tables[0].Rows[i][7] = 0, 0
		require.NoError(t, model.Write(&text, r.Folds[i].Model))
	}
	require.NoError(t, r.JSON(&text))
	fmt.Fprintln(&text, r.Scores)
	return text.String()
}

// TestFoldsAreWholeTrainings: models, scores and the curve equal those of separate training runs.
func TestFoldsAreWholeTrainings(t *testing.T) {
	d, p := randomData(t, 1, 60), params()
	f := draw(t, d, 3, 7)
	r := run(t, p, d, f, Options{})
	require.Len(t, r.Curve, p.NumIterations)
	scores := make([]float64, d.Meta.NumRows())
	for fold := range 3 {
		in, out := f.queries(fold)
		train, valid := selectedQueries(d, "a", out), selectedQueries(d, "b", in)
		var curve []float64
		alone, err := booster.Train(t.Context(), p, train, []booster.Data{valid},
			booster.Options{Options: training.Options{Round: func(r training.Round) {
				curve = append(curve, r.Evaluations[len(r.Evaluations)-1].Result.Mean)
			}}})
		require.NoError(t, err)
		for round, value := range curve {
			assert.Equal(t, value, r.Curve[round].Parts[fold])
		}
		assert.Equal(t, alone.Model.Part(0, r.Best).Trees, r.Folds[fold].Model.Trees)
		own := make([]float64, valid.Meta.NumRows())
		require.NoError(t, booster.Scores(own, alone.Model.Part(0, r.Best), valid.Values, 1))
		for i, row := range d.Meta.RowsOf(in) {
			scores[row] = own[i]
		}
	}
	assert.Equal(t, scores, r.Scores)
	results, err := metric.Evaluate([]metric.Metric{metric.NDCG(metric.Default(), 5)}, d.Meta, scores, 1)
	require.NoError(t, err)
	assert.Equal(t, results[0].Mean, r.Mean)
	assert.InDelta(t, r.Mean, r.Curve[r.Best-1].Mean, 1e-12, "the curve is of all queries")
	best := slices.MaxFunc(r.Curve, func(a, b CurvePoint) int { return int(math.Copysign(1, a.Mean-b.Mean)) })
	assert.Equal(t, best.Mean, r.Curve[r.Best-1].Mean)
	assert.True(t, r.Interval.Low < r.Mean && r.Mean < r.Interval.High)
}

// TestSameBytes: neither the order of folds nor the step size of early stopping changes a value.
func TestSameBytes(t *testing.T) {
	d := randomData(t, 2, 60)
	f := draw(t, d, 4, 0)
	for _, patience := range []int{0, 7} {
		p := params()
		p.NumIterations, p.Patience, p.BaggingFraction, p.BaggingFreq = 60, patience, 0.7, 1
		first := run(t, p, d, f, Options{})
		if patience > 0 {
			assert.Equal(t, training.StoppedEarly, first.Stopped)
			assert.Len(t, first.Curve, first.Best+patience)
			p.Patience = 0
			whole := run(t, p, d, f, Options{})
			assert.Equal(t, whole.Curve[:len(first.Curve)], first.Curve)
			p.Patience = patience
		}
		turned := Folds{Names: []string{"a", "b", "c", "d"}}
		for _, fold := range f.Of {
			turned.Of = append(turned.Of, 3-fold)
		}
		other := run(t, p, d, turned, Options{})
		assert.Equal(t, first.Scores, other.Scores)
		assert.Equal(t, first.Best, other.Best)
		assert.Equal(t, first.Mean, other.Mean)
		for i := range first.Curve {
			assert.Equal(t, first.Curve[i].Mean, other.Curve[i].Mean)
			assert.Equal(t, first.Curve[i].Parts[1], other.Curve[i].Parts[2])
		}
	}
}

// TestAverage: the averaged model's scores are the means of the folds' scores.
func TestAverage(t *testing.T) {
	d, p := randomData(t, 4, 40), params()
	r := run(t, p, d, draw(t, d, 2, 0), Options{})
	average, err := r.Average()
	require.NoError(t, err)
	want, got, one := make([]float64, d.Meta.NumRows()), make([]float64, d.Meta.NumRows()),
		make([]float64, d.Meta.NumRows())
	for _, f := range r.Folds {
		require.NoError(t, booster.Scores(one, f.Model, d.Values, 1))
		for i := range want {
			want[i] += one[i] / 2
		}
	}
	require.NoError(t, booster.Scores(got, average, d.Values, 1))
	assert.InDeltaSlice(t, want, got, 1e-12)
	final := r.Final(p)
	assert.Equal(t, r.Best, final.NumIterations)
	_, err = booster.Train(t.Context(), final, d, nil, booster.Options{})
	require.NoError(t, err)
}

func TestInitialScores(t *testing.T) {
	d, p := randomData(t, 5, 40), params()
	meta := *d.Meta
	meta.InitialScores = make([]float64, meta.NumRows())
	for row := range meta.InitialScores {
		meta.InitialScores[row] = meta.Labels[row] * 4
	}
	d.Meta = &meta
	r := run(t, p, d, draw(t, d, 2, 0), Options{})
	assert.Greater(t, r.Mean, 0.98, "metrics are of the sums")
	assert.Less(t, slices.Max(r.Scores), 3.0, "scores are of the model alone")
}

// TestStudiesRefuse: parameters that are wrong in every study are refused before anything is written.
func TestStudiesRefuse(t *testing.T) {
	d := randomData(t, 7, 30)
	f := draw(t, d, 3, 0)
	for want, change := range map[string]func(p *booster.Params){
		"min_data_in_leaf":               func(p *booster.Params) { p.MinDataInLeaf = 1000 },
		"no metric decides":              func(p *booster.Params) { p.StopMetric, p.Metric = "", nil },
		"num_leaves=0":                   func(p *booster.Params) { p.NumLeaves = 0 },
		"boosting=dart and patience=5: ": func(p *booster.Params) { p.Boosting, p.Patience = booster.DART, 5 },
		"leave num_models out, and train on ": func(p *booster.Params) {
			p.NumModels, p.FeatureFraction = 2, 0.5
		},
		"first_metric_only=false: ": func(p *booster.Params) { p.AnyMetricStops, p.StopMetric = true, "" },
	} {
		p, folder := params(), filepath.Join(t.TempDir(), "kept")
		change(&p)
		_, err := CrossValidate(t.Context(), p, Data{Train: d, Folds: f}, Options{Keep: &Store{Folder: folder}})
		require.ErrorContains(t, err, want)
		if want == "min_data_in_leaf" {
			assert.ErrorContains(t, err, "fold ")
			continue
		}
		assert.NoFileExists(t, folder, want)
		for _, check := range []func(*booster.Params) error{(&SelectOptions{}).Check,
			(&CurveOptions{Shares: []float64{0.5, 1}}).Check, (&TuneOptions{Trials: 1}).Check} {
			assert.ErrorContains(t, check(&p), want)
		}
	}
	f.Of = f.Of[1:]
	_, err := CrossValidate(t.Context(), params(), Data{Train: d, Folds: f}, Options{})
	require.ErrorIs(t, err, ErrFolds)
}

// TestDARTIsJudgedAfterItsLastIteration: the models and values of folds equal those of separate training
// runs, for any number of iterations.
func TestDARTIsJudgedAfterItsLastIteration(t *testing.T) {
	d, p := randomData(t, 8, 60), params()
	p.Boosting, p.SkipDrop, p.DropRate = booster.DART, 0.2, 0.3
	f := draw(t, d, 3, 7)
	r := run(t, p, d, f, Options{})
	assert.Equal(t, p.NumIterations, r.Best)
	assert.Equal(t, training.Finished, r.Stopped)
	for _, rounds := range []int{11, p.NumIterations} {
		q := p
		q.NumIterations = rounds
		short := run(t, q, d, f, Options{})
		assert.Equal(t, r.Curve[:rounds], short.Curve, "drops depend on no later iteration")
		assert.InDelta(t, r.Curve[rounds-1].Mean, short.Mean, 1e-9)
	}
	for fold := range 3 {
		_, out := f.queries(fold)
		alone, err := booster.Train(t.Context(), p, selectedQueries(d, "a", out), nil, booster.Options{})
		require.NoError(t, err)
		assert.Equal(t, alone.Model.Trees, r.Folds[fold].Model.Trees)
	}
	want := everything(t, r)
	p.NumThreads = 7
	assert.Equal(t, strings.ReplaceAll(want, `"num_threads": "1"`, `"num_threads": "7"`),
		everything(t, run(t, p, d, f, Options{})))
	top := slices.MaxFunc(r.Curve, func(a, b CurvePoint) int { return cmp.Compare(a.Mean, b.Mean) })
	require.Less(t, top.Round, r.Best, "choose another seed")
	assert.Contains(t, r.Warnings[0], fmt.Sprintf("num_iterations=%d trains up to there", top.Round))
}

// TestDARTHasOnePoint: a run of dart can be judged only after its last iteration.
func TestDARTHasOnePoint(t *testing.T) {
	d, p := randomData(t, 10, 12), params()
	p.Boosting, p.Patience = booster.DART, 5
	require.ErrorIs(t, check(&p), ErrDART)
	p.Patience = 0
	b, err := newBegun(t.Context(), p, Data{Train: d, Folds: draw(t, d, 2, 0)}, Options{}, nil)
	require.NoError(t, err)
	training := b.begin(p, b.parts, nil)
	defer training.close()
	require.NoError(t, training.train())
	_, err = training.judgeAll(3)
	require.ErrorIs(t, err, ErrDART)
}

// TestFirstMetricDecides: the first of several metrics, at its last cutoff, decides, as in training. Among
// custom metrics, the one named by stop_metric decides.
func TestFirstMetricDecides(t *testing.T) {
	d, p := randomData(t, 11, 40), params()
	f := draw(t, d, 2, 0)
	p.StopMetric, p.Metric, p.EvalAt, p.Patience = "", []string{"ndcg", "map"}, []int{1, 3}, 5
	r := run(t, p, d, f, Options{})
	assert.Equal(t, "ndcg@3", r.Metric)
	q := p
	q.StopMetric = "ndcg@3"
	assert.Equal(t, run(t, q, d, f, Options{}).Curve, r.Curve)
	var names []string
	for _, m := range r.Judged {
		names = append(names, m.Metric)
	}
	assert.ElementsMatch(t, []string{"ndcg@1", "ndcg@3", "map@1", "map@3"}, names)

	var own Options
	own.Metrics = []metric.Metric{renamed{metric.NDCG(metric.Default(), 1), "a"},
		renamed{metric.NDCG(metric.Default(), 3), "b"}}
	q.StopMetric = "b"
	decided := run(t, q, d, f, own)
	assert.Equal(t, "b", decided.Metric)
	assert.Equal(t, r.Curve, decided.Curve)
}

// renamed is a metric with another name.
type renamed struct {
	metric.Metric
	name string
}

func (r renamed) Name() string { return r.name }

// squares is a loss that reads labels from the whole data, as a caller's function may.
type squares struct{ data *dataset.Meta }

func (*squares) Name() string                                   { return "squares" }
func (*squares) Gradients(objective.Gradients, objective.Query) {}
func (s *squares) Prepare(data *dataset.Meta) error             { s.data = data; return nil }

func (s *squares) All(dst objective.Gradients, r objective.Round) error {
	for i, row := range s.data.Whole.RowsOf(s.data.Selected) {
		dst.Lambda[i], dst.Hessian[i] = r.Scores[i]-s.data.Whole.Labels[row], 1
	}
	return nil
}

// nearness is a metric of all queries together that also has values of single queries: the negative mean
// squared error.
type nearness struct{ renamed }

func (nearness) All(*dataset.Meta, []float64) (float64, error) {
	return 0, errors.New("each query has a value")
}

func (nearness) Each(data *dataset.Meta, scores []float64) (values []float64, err error) {
	for _, q := range data.Queries {
		sum := 0.0
		for row := q.First; row < q.First+q.Len; row++ {
			sum -= float64((data.Labels[row] - scores[row]) * (data.Labels[row] - scores[row]))
		}
		values = append(values, sum/float64(q.Len))
	}
	return values, nil
}

// all is a metric without values of single queries.
type all struct{ renamed }

func (all) All(*dataset.Meta, []float64) (float64, error) { return 1, nil }

// TestOwnFunctions: an objective that uses the rows of the whole data gives the same model as mse on the
// same scores. A custom metric can decide if it has values of single queries.
func TestOwnFunctions(t *testing.T) {
	d, p := randomData(t, 11, 40), params()
	f := draw(t, d, 4, 0)
	p.Patience, p.StopMetric = 0, "near"
	o := Options{}
	o.Objective = func() objective.Objective { return &squares{} }
	o.Metrics = []metric.Metric{nearness{renamed{metric.NDCG(metric.Default(), 1), "near"}}}
	r := run(t, p, d, f, o)
	assert.Equal(t, "near", r.Metric)
	assert.Equal(t, len(r.Curve), r.Best, "each tree brings scores nearer to labels")
	sum := 0.0
	for row, score := range r.Scores {
		sum -= float64((d.Meta.Labels[row] - score) * (d.Meta.Labels[row] - score))
	}
	assert.InDelta(t, sum/float64(len(r.Scores)), r.Mean, 0.2, "queries of about the same size")
	assert.Less(t, r.Curve[0].Mean, r.Mean)
	o.Metrics = []metric.Metric{all{renamed{metric.NDCG(metric.Default(), 1), "near"}}}
	_, err := CrossValidate(t.Context(), p, Data{Train: d, Folds: f}, o)
	require.ErrorContains(t, err, "near judges all queries at once, and a study needs the value of each")
}
