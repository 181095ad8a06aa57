package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
	"github.com/lambdamart/lambdamart/tree"
)

// document is the report of a study. It has the methods Text, JSON, Write (of the page), Save (to a folder),
// Finding and Warnings.
type document = report.Document

// CVResult is the result of a cross-validation, as text, TSV, JSON and a page.
type CVResult struct {
	document

	Metric string // the metric that decides, such as "ndcg@10"
	Rules  string // its convention in words

	Best     int             // the best iteration, from 1; with boosting=dart, the last one
	Mean     float64         // of the out-of-fold values of all weighted queries, after the best iteration
	Interval metric.Interval // of Mean, over queries
	Level    float64         // of Interval
	FoldSD   float64         // standard deviation of the folds' values; NaN for one fold

	Folds   []Fold
	Curve   []CurvePoint // of all iterations that were done
	Stopped training.StopReason

	Scores []float64       // out-of-fold score of each row, without initial scores
	Judged []metric.Result // all metrics of the parameters, on the out-of-fold scores

	Parameters []param.Setting // all parameters, with their values
}

// Fold is the result for one fold.
type Fold struct {
	Name          string
	Rows, Queries int     // to validate on
	Judged        int     // number of these queries that the metric counts
	Value         float64 // of the metric, after the iteration that is best for all folds together
	OwnBest       int     // the iteration that would be best for this fold alone
	OwnBestValue  float64
	Rounds        int            // number of rounds that were done
	Seconds       float64        // of training, including validation
	Model         *tree.Ensemble // of the best iteration
}

// Average returns one model whose scores are the means of the scores of the folds' models.
func (r *CVResult) Average() (*tree.Ensemble, error) {
	var models []*tree.Ensemble
	for _, f := range r.Folds {
		models = append(models, f.Model)
	}
	return tree.Mean(models...)
}

// Final returns the parameters of the final training run on all data. It has the best number of iterations,
// and neither metrics nor early stopping.
func (r *CVResult) Final(p booster.Params) booster.Params { return final(p, r.Best) }

// final returns the parameters of a training run on all data with this many iterations, and neither metrics
// nor early stopping.
func final(p booster.Params, iterations int) booster.Params {
	p.NumIterations, p.Patience, p.StopMetric, p.StopSet, p.Metric = iterations, 0, "", "", nil
	return p
}

// CrossValidate trains one model per fold, on all other folds of the training data, and judges each fold by
// the model that has not seen it. The result has the best number of iterations, the mean metric with its
// confidence interval, out-of-fold scores and the models of the folds; Result.Average combines these models
// into one that returns their mean, and Result.Final returns the parameters for a run on all data:
//
//	folds, err := study.DrawFolds(d.Training.Meta, 5, 0)
//	r, err := study.CrossValidate(ctx, p.Params, study.On(d, folds), study.Options{})
//	p.Params = r.Final(p.Params)
//	final, err := lambdamart.Train(ctx, p, d)
//
// With boosting=dart, the best number of iterations is p.NumIterations, and Patience is refused. A validation
// set is not used. If ctx is canceled, CrossValidate returns the cause; with Options.Keep, the same call
// continues from there. Errors about folds wrap [ErrFolds]. [Options.Check] returns the errors about
// parameters that a study cannot use.
func CrossValidate(ctx context.Context, p booster.Params, d Data, o Options) (_ *CVResult, err error) {
	defer d.loaded.Guard(&err)()
	d.Valid = nil
	b, err := newBegun(ctx, p, d, o, o.Check(&p))
	if err == nil {
		err = b.keep(o.Keep, fmt.Sprintf("%q", d.Folds.Names))
	}
	if err != nil {
		return nil, err
	}
	t := b.begin(p, b.parts, b.kept)
	t.progress = b.progress
	defer t.close()
	t.load()
	if err := t.train(); err != nil {
		return nil, err
	}
	r, err := t.summarize(d.Train.Meta)
	if err == nil {
		r.describe(d.Train.Meta, d.Folds)
	}
	return r, err
}

// load loads the folds that an earlier run has finished.
func (t *jointRun) load() {
	done := 0
	for _, r := range t.parts {
		if r.load() {
			done++
		}
	}
	logPlan(t.study.log, "folds", wording.Count(len(t.parts), "fold"), len(t.parts), done)
}

// summarize evaluates the models of the best iteration. m describes the data.
func (t *jointRun) summarize(m *dataset.Meta) (*CVResult, error) {
	best := t.best
	if best == 0 || math.IsNaN(t.curve[best-1].Mean) {
		return nil, errors.New("no validation query counts by " + t.study.metric.Name() + "; choose another " +
			"metric or convention")
	}
	fitted, err := t.judgeAll(best)
	if err != nil {
		return nil, err
	}
	r := &CVResult{Metric: t.study.metric.Name(), Best: best, Level: t.study.tests.Level, Curve: t.curve,
		Stopped: t.reason, Scores: make([]float64, m.NumRows())}
	for i, f := range fitted {
		r.addFold(t.parts[i], f, m)
	}
	if err := r.judge(t, m); err != nil {
		return nil, err
	}
	r.Warn(t.warnOfBest())
	for _, row := range t.params.Table() {
		r.Parameters = append(r.Parameters, param.Setting{Name: row.Name, Value: row.Value.String()})
	}
	return r, nil
}

// warnOfBest returns a warning about the best iteration, or "".
func (t *jointRun) warnOfBest() string {
	top := slices.MaxFunc(t.curve, func(a, b CurvePoint) int { return cmp.Compare(a.Mean, b.Mean) })
	switch {
	case t.lastDecides() && top.Round < t.best:
		return fmt.Sprintf("boosting=dart: the last iteration, %d, is judged, as only it has a model; "+
			"the curve was highest at %d, with %s %.4f: num_iterations=%d trains up to there",
			t.best, top.Round, t.study.metric.Name(), top.Mean, top.Round)
	case t.best == t.params.NumIterations:
		return fmt.Sprintf("the best iteration is the last one, %d: more may be better; raise num_iterations",
			t.best)
	}
	return ""
}

// addFold adds the results and scores of a fold's model.
func (r *CVResult) addFold(part *partRun, f fittedPart, m *dataset.Meta) {
	rows := m.RowsOf(part.part.Valid)
	for i, row := range rows {
		r.Scores[row] = f.Scores[i]
	}
	// parts may have done more rounds before training was stopped
	own, done := 0, min(len(part.values), len(r.Curve))
	for round, value := range part.values[:done] {
		if value > part.values[own] {
			own = round
		}
	}
	r.Folds = append(r.Folds, Fold{Name: part.part.Name, Rows: len(rows), Queries: f.Result.Queries,
		Judged: f.Result.Queries - f.Result.LeftOut, Value: f.Result.Mean,
		OwnBest: own + 1, OwnBestValue: part.values[own], Rounds: done, Seconds: part.seconds, Model: f.Model})
}

// judge evaluates the out-of-fold scores of all queries.
func (r *CVResult) judge(t *jointRun, data *dataset.Meta) error {
	decides, p := t.study.metric, &t.params
	others, err := p.Metrics(p.LabelGain, t.study.own.Metrics...)
	if err != nil {
		return err
	}
	others = slices.DeleteFunc(others, func(m metric.Metric) bool { return m.Name() == decides.Name() })
	r.Judged, err = metric.Evaluate(append([]metric.Metric{decides}, others...), data, r.Scores, p.NumThreads)
	if err != nil {
		return err
	}
	first := r.Judged[0]
	r.Rules, r.Mean = first.Rules, first.Mean
	sample, err := first.Sample()
	if err != nil {
		return err
	}
	r.Interval = sample.Interval(t.study.tests)
	r.Warn(sample.Remark())
	var values []float64
	for _, f := range r.Folds {
		values = append(values, f.Value)
	}
	r.FoldSD = deviation(values)
	for row, initial := range data.InitialScores {
		r.Scores[row] -= initial
	}
	return nil
}

// deviation returns the standard deviation of values, with n - 1, or NaN for one value.
func deviation(values []float64) float64 {
	mean, sum := metric.NewSample(values, nil).Mean(), 0.0
	for _, v := range values {
		sum += float64((v - mean) * (v - mean))
	}
	return math.Sqrt(sum / float64(len(values)-1))
}
