package study

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/training"
	"github.com/lambdamart/lambdamart/tree"
)

// jointRun trains one set of parameters on all parts, round by round, and evaluates each round by the mean
// over the validation queries of all parts. Close it after use.
type jointRun struct {
	study   *begun // its context cancels any round
	params  booster.Params
	inner   booster.Params // of each part: Patience is 0, as all parts stop together
	parts   []*partRun
	workers int // number of parts that are trained concurrently

	curve  []CurvePoint
	best   int                 // best round so far; 0: none yet
	reason training.StopReason // why training has ended; empty before

	progress func(Progress)
	shown    atomic.Int64 // number of rounds that were reported
}

// CurvePoint is a point of the curve of a [jointRun].
type CurvePoint struct {
	Round int
	Mean  float64   // of the metric, over the validation queries of all parts
	Parts []float64 // the mean of each part
}

// decisiveMetric returns the metric that decides: the stop metric of p.
func decisiveMetric(p *booster.Params, own ...metric.Metric) (metric.Metric, error) {
	for _, name := range p.Metric {
		if _, _, is := metric.OfDocuments(name); is {
			return nil, fmt.Errorf("metric=%s judges documents by themselves, and studies compare queries; "+
				"give it to train or eval", name)
		}
	}
	rule := rounds.StopRule(&p.Params)
	if i := slices.IndexFunc(own, func(m metric.Metric) bool { return m.Name() == p.StopMetric }); i >= 0 {
		return own[i], nil
	}
	if rule == "" {
		return nil, errors.New("no metric decides: name one, as in stop_metric=ndcg@10")
	}
	convention, err := metric.ConventionByName(p.MetricConvention, p.LabelGain)
	if err != nil {
		return nil, err
	}
	return metric.Parse(rule, convention)
}

// begin prepares the run of p on parts of the study's data, but trains nothing. NumIterations is the largest
// number of rounds; Patience and MinDelta stop all parts together. Canceling the study's context ends the
// run. Finished parts and checkpoints are kept in kept, unless it is nil. Rounds are not reported.
func (b *begun) begin(p booster.Params, parts []part, kept *results) *jointRun {
	t := &jointRun{study: b, params: p, inner: p, progress: func(Progress) {}}
	inner := &t.inner
	inner.Metric, inner.StopMetric, inner.StopSet = nil, b.metric.Name(), ""
	inner.MetricFreq, inner.IsTrainingMetric, inner.Patience = 1, false, 0
	t.workers, inner.NumThreads = par.AtOnce(len(parts), parts[0].whole.Meta.NumRows(), p.NumThreads)
	for i := range parts {
		entry := kept.job(fmt.Sprintf("fold%d", i+1))
		t.parts = append(t.parts, &partRun{joint: t, part: &parts[i], entry: entry})
	}
	return t
}

// stopEvery is the number of rounds after which the rule of early stopping is applied again. Parts do not
// wait for each other in between.
const stopEvery = 10

// train trains until all rounds are done or training stops early, and ends the runs of all parts. If the
// context is canceled, it returns the cause.
func (t *jointRun) train() error {
	for t.reason == "" {
		to := t.params.NumIterations
		if t.params.Patience > 0 {
			to = min(to, len(t.curve)+stopEvery)
		}
		advance := func(part int) error { return t.parts[part].advance(to) }
		if err := par.Try(t.workers, len(t.parts), advance); err != nil {
			return err
		}
		t.extend(to)
	}
	for _, r := range t.parts {
		if err := r.finish(); err != nil {
			return err
		}
	}
	return nil
}

// extend adds points to the curve up to a round, and applies the rule of early stopping.
func (t *jointRun) extend(to int) {
	longest := 0
	for _, r := range t.parts {
		longest = max(longest, len(r.values))
	}
	for round := len(t.curve) + 1; round <= min(to, longest); round++ {
		t.curve = append(t.curve, t.point(round))
		if now := t.curve[round-1].Mean; t.best == 0 || t.lastDecides() ||
			now > t.curve[t.best-1].Mean+t.params.MinDelta {
			t.best = round
		}
		if t.params.Patience > 0 && round-t.best >= t.params.Patience {
			t.reason = training.StoppedEarly
			return
		}
	}
	switch {
	case longest < to: // all have ended
		t.reason = training.NoSplitsRemain
	case to == t.params.NumIterations:
		t.reason = training.Finished
	}
}

// point returns the point of a round. The mean over the queries of all parts is the mean of the parts' means,
// weighted by their queries.
func (t *jointRun) point(round int) CurvePoint {
	p := CurvePoint{Round: round}
	terms, weights := make([]float64, len(t.parts)), make([]float64, len(t.parts))
	for i, r := range t.parts {
		p.Parts = append(p.Parts, r.value(round))
		terms[i], weights[i] = float64(r.value(round)*r.part.weight), r.part.weight
	}
	p.Mean = sumSorted(terms) / sumSorted(weights)
	return p
}

// lastDecides reports whether the last iteration is the best by definition, because only it has a model.
func (t *jointRun) lastDecides() bool { return t.params.Boosting == booster.DART }

// sumSorted adds numbers in the order of their magnitudes, so that the order of folds does not matter. It
// sorts them in place.
func sumSorted(numbers []float64) (total float64) {
	slices.Sort(numbers)
	for _, v := range numbers {
		total += v
	}
	return total
}

// close ends the run and releases its memory.
func (t *jointRun) close() {
	for _, r := range t.parts {
		r.close()
	}
}

// judgeAll returns the models of all parts after a round of a run that has ended, with their scores on the
// validation queries of the part. With boosting=dart, only the last round has models; for other rounds the
// error is [ErrDART].
func (t *jointRun) judgeAll(round int) ([]fittedPart, error) {
	if t.lastDecides() && round != len(t.curve) {
		return nil, fmt.Errorf("iteration %d of %d: %w", round, len(t.curve), ErrDART)
	}
	all := make([]fittedPart, len(t.parts))
	err := par.Try(t.workers, len(t.parts), func(i int) (err error) {
		all[i], err = t.parts[i].judge(round)
		return err
	})
	return all, err
}

// fittedPart is the model of a part.
type fittedPart struct {
	Model  *tree.Ensemble
	Scores []float64     // of the rows of the validation queries, with initial scores
	Result metric.Result // of the decisive metric
	Other  metric.Result // of the one with which it decides, or of the same
}

// score evaluates the model on the validation queries by one or two metrics.
func (f *fittedPart) score(valid booster.Data, threads int, by ...metric.Metric) error {
	f.Scores = make([]float64, valid.Meta.NumRows())
	if err := booster.Scores(f.Scores, f.Model, valid.Values, threads); err != nil {
		return err
	}
	for row, initial := range valid.Meta.InitialScores {
		f.Scores[row] += initial
	}
	results, err := metric.Evaluate(by, valid.Meta, f.Scores, threads)
	if err != nil {
		return err
	}
	f.Result, f.Other = results[0], results[len(results)-1]
	return nil
}

// perQuery returns the values of the validation queries of all parts, part by part.
func perQuery(fitted []fittedPart) (values []float64) {
	for _, f := range fitted {
		values = append(values, f.Result.PerQuery...)
	}
	return values
}

// validationQueries returns the ids of the validation queries of parts, in the order of [perQuery].
func validationQueries(parts []part) (ids []string) {
	for i := range parts {
		for _, q := range parts[i].validMeta().Queries {
			ids = append(ids, q.ID)
		}
	}
	return ids
}

// Trained is the result of a run on all parts, as a store keeps it.
type Trained struct {
	Best     int       `json:"best_iteration"`  // from 1; the mean curve is highest around it ([smooth])
	Curve    []float64 `json:"curve,omitempty"` // the metric after each iteration
	PerQuery nullable  `json:"queries"`         // of each validation query after Best; NaN if it does not count
	Other    nullable  `json:"other,omitempty"` // the same by the second of the metrics that decide
	Seconds  float64   `json:"seconds"`         // of the rounds of all parts

	// of all features, in the first step of a selection: the most important first
	Importance []FeatureImportance `json:"importance,omitempty"`

	Err    error  `json:"-"`                 // why there is no model; nil if there is one
	NoTree string `json:"no_tree,omitempty"` // Err, if no tree could be grown
	Kept   bool   `json:"-"`                 // loaded from Options.Keep instead of being trained
}

// isComplete reports whether r can be the result of a complete training run.
func (r *Trained) isComplete() bool { return r.NoTree != "" || r.Best >= 1 && len(r.PerQuery) > 0 }

// do sets r to the result of a job: to that in the store or, if there is none, by work, after which it is
// stored. An error of work is in r. It is stored if no tree could be grown; a job that failed otherwise is
// tried again by the next study. The error of do is about writing, or the cause if ctx is canceled.
func (b *begun) do(r *Trained, job *jobEntry, work func() error) error {
	var kept Trained
	if job.load(&kept, kept.isComplete) {
		*r, r.Kept = kept, true
		if r.NoTree != "" {
			r.Err = errors.New(r.NoTree)
		}
		return nil
	}
	r.Err = work()
	switch {
	case r.Err != nil && b.ctx.Err() != nil:
		return context.Cause(b.ctx)
	case errors.Is(r.Err, errNoTree):
		r.NoTree = r.Err.Error()
	case r.Err != nil:
		return nil
	}
	return job.save(r)
}

// trainOnce sets r to the result of training p on all parts, unless the job was done before, as do does.
func (b *begun) trainOnce(r *Trained, job *jobEntry, p booster.Params, parts []part) error {
	return b.do(r, job, func() error {
		_, err := b.train(r, p, parts)
		return err
	})
}

// train trains p on all parts until it stops, and sets r to the result. It returns the models of the best
// iteration.
func (b *begun) train(r *Trained, p booster.Params, parts []part) ([]fittedPart, error) {
	t := b.begin(p, parts, nil)
	defer t.close()
	if err := t.train(); err != nil {
		return nil, err
	}
	for _, point := range t.curve {
		r.Curve = append(r.Curve, point.Mean)
	}
	for _, part := range t.parts {
		r.Seconds += part.seconds
	}
	r.Best, _ = smooth(r.Curve, p.MinDelta)
	fitted, err := t.judgeAll(r.Best)
	r.PerQuery = perQuery(fitted)
	if b.other != nil {
		for _, f := range fitted {
			r.Other = append(r.Other, f.Other.PerQuery...)
		}
	}
	return fitted, err
}

// smoothRule says in results how [smooth] chooses.
const smoothRule = "The best iteration is that with the largest average over the neighboring iterations, " +
	"from 7/8 to 9/8 of it"

// smoothWindow sets the size of the window around an iteration: it extends by 1/8 of the iteration's number
// to both sides.
const smoothWindow = 8

// smooth returns the iteration n, from 1, for which the mean of a curve over the iterations from 7/8·n to
// 9/8·n is largest, and that mean. A later iteration is chosen only if it is better by more than least. On
// few queries, the peaks of a curve are noise, which would favor training runs with rough curves: those with
// large learning rates. Without a curve it returns 0 and NaN.
func smooth(curve []float64, least float64) (best int, value float64) {
	value = math.NaN()
	sums := make([]float64, len(curve)+1)
	for i, v := range curve {
		sums[i+1] = sums[i] + v
	}
	for round := 1; round <= len(curve); round++ {
		from, to := round-1-round/smoothWindow, min(round+round/smoothWindow, len(curve))
		// Rounding makes the means of equal curves equal.
		mean := math.Round((sums[to]-sums[from])/float64(to-from)*0x1p40) * 0x1p-40
		if best == 0 || mean > value+least {
			best, value = round, mean
		}
	}
	return best, value
}
