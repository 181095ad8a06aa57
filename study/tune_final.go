package study

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/training"
)

// The final model is chosen from the trials that were trained on all folds, and the mean of the models of
// TuneOptions.first. On few queries, the largest of many values is mostly luck, so the choice begins with
// what the caller asked for, and moves only for a difference above one standard error (the rule of one
// standard error: L. Breiman et al., Classification and Regression Trees, 1984, 3.4.3):
//
//  1. With TuneOptions.average, the mean of the models of first is chosen, otherwise the best trial of first.
//  2. The best trial is chosen instead if it is better by more than one standard error, or three if it is to
//     replace a mean, since means are better on most data (bench/quality/README.md), and with a validation set
//     the best trial is the largest of many values; or if there is nothing else.
//  3. The defaults are chosen instead if they are better than the result by more than one standard error, or
//     if both are equally good.
//
// The models of a mean differ in their objectives and seeds, and have one number of iterations, so the
// parameters num_models and model_objectives describe it: the mean of their best numbers of iterations, but
// at most what the shortest run of them did.

// finalModel is a candidate for the model trained on all data: the model of a trial, or a mean of several.
type finalModel struct {
	models   []*Trial
	rounds   int // iterations of each model
	perQuery []float64
	weights  []float64 // of the queries; nil: all are equal
}

// value returns the mean over the queries that count, with their weights.
func (f *finalModel) value() float64 { return metric.NewSample(f.perQuery, f.weights).Mean() }

// isAbove reports whether f is better than another by more than this many standard errors of the paired
// differences.
func (f *finalModel) isAbove(other *finalModel, errors float64) bool {
	d, err := metric.Differences(other.perQuery, f.perQuery, f.weights)
	return err == nil && d.Mean()/d.StandardError() > errors
}

// remark returns a remark about the number of queries, or "".
func (f *finalModel) remark() string { return metric.NewSample(f.perQuery, f.weights).Remark() }

// single returns the model of a trial.
func (s *search) single(t *Trial) *finalModel {
	return &finalModel{[]*Trial{t}, t.Best, t.PerQuery, s.weights}
}

// final chooses the final model.
func (s *search) final() *finalModel {
	chosen := s.choice()
	if base := s.single(s.trials[0]); base.isAbove(chosen, 1) || base.value() == chosen.value() {
		return base
	}
	return chosen
}

// choice chooses the final model, regardless of the defaults.
func (s *search) choice() *finalModel {
	ended := s.ended()
	if len(ended) == 0 {
		return s.single(s.trials[0])
	}
	best, usual, errors := s.single(slices.MinFunc(ended, betterTrial)), s.means[s.wide], 3.0
	asked := slices.DeleteFunc(ended, func(t *Trial) bool { return !t.Asked })
	if usual == nil && len(asked) > 0 {
		usual, errors = s.single(slices.MinFunc(asked, betterTrial)), 1
	}
	if usual == nil || best.isAbove(usual, errors) {
		return best
	}
	return usual
}

// ended returns the trials that were trained on all folds and that may be final, by number.
func (s *search) ended() []*Trial {
	return slices.DeleteFunc(slices.Clone(s.trials), func(t *Trial) bool {
		return !t.finished() || t.Wide != s.wide
	})
}

// isMember reports whether the model of a trial may be part of a mean.
func (s *search) isMember(t *Trial) bool { return s.averages && t.Asked }

// judgeMean evaluates the mean of the models of these trials up to the first one that has none.
func (s *search) judgeMean(trials []*Trial) (err error) {
	n := slices.IndexFunc(trials, func(t *Trial) bool {
		return !s.isMember(t) || !t.finished()
	})
	if n < 0 {
		n = len(trials)
	}
	if n > 1 {
		s.means[trials[0].Wide], err = s.mean(trials[:n])
	}
	for _, t := range trials {
		t.run = nil
	}
	return err
}

// mean evaluates the mean of the models of trials after a common number of iterations. It returns nil if one
// of them gives all documents of each query the same score, so that it has no scale.
func (s *search) mean(models []*Trial) (*finalModel, error) {
	f := &finalModel{models: models, rounds: commonRounds(models), weights: s.weights}
	facts := []any{f.rounds}
	for _, t := range models {
		facts = append(facts, training.ParameterFacts(t.params.Table()))
	}
	entry := s.kept.job("mean", facts...)
	var kept nullable
	found, err := entry.load(&kept, func() bool { return len(kept) > 0 })
	if f.perQuery = kept; err != nil || found {
		return f, err
	}
	fitted, err := s.fitted(f)
	if err != nil {
		return nil, err
	}
	for i, p := range s.partsOf(models[0]) {
		result, err := s.judgeMeanOf(fitted, i, p)
		if err != nil || result == nil {
			return nil, err
		}
		f.perQuery = append(f.perQuery, result.PerQuery...)
	}
	return f, entry.save(nullable(f.perQuery))
}

// commonRounds returns the number of iterations of all models of a mean.
func commonRounds(models []*Trial) int {
	sum, shortest := 0, len(models[0].Curve)
	for _, t := range models {
		sum, shortest = sum+t.Best, min(shortest, len(t.Curve))
	}
	return min((sum+len(models)/2)/len(models), shortest)
}

// fitted returns the models of a mean by trial and part. Trials that were loaded from the store are trained
// again.
func (s *search) fitted(f *finalModel) ([][]fittedPart, error) {
	all := make([][]fittedPart, len(f.models))
	several, threads := s.atOnce(len(all))
	return all, atOnce(len(all), several, func(i int) error {
		t := f.models[i]
		if t.run == nil {
			if _, err := s.train(t, s.partsOf(t), threads); s.ctx.Err() != nil {
				return context.Cause(s.ctx)
			} else if err != nil {
				return err
			}
		}
		fitted, err := t.run.judgeAll(f.rounds)
		all[i] = fitted
		return err
	})
}

// judgeMeanOf evaluates the mean of the models of a part, each scaled by its spread, as in package booster.
// It returns nil if a model has no spread.
func (s *search) judgeMeanOf(models [][]fittedPart, number int, p part) (*metric.Result, error) {
	meta, first := p.validData().Meta, 0.0
	scores := make([]float64, meta.NumRows())
	for k := range models {
		m := &models[k][number]
		spread, err := booster.Spread(m.Model, p.trainData(), s.params.NumThreads)
		if err != nil || spread == 0 {
			return nil, err
		}
		if k == 0 {
			first = spread
		}
		factor := first / float64(float64(len(models))*spread)
		for row, score := range m.Scores {
			scores[row] += float64(score * factor)
		}
	}
	results, err := metric.Evaluate([]metric.Metric{s.metric}, meta, scores, s.params.NumThreads)
	if err != nil {
		return nil, err
	}
	return &results[0], nil
}

// compare compares the final model with the base.
func (s *search) compare(r *TuneResult, chosen *finalModel) (err error) {
	r.Comparison, err = metric.Compare(r.base().PerQuery, chosen.perQuery, s.weights, s.tests)
	if err != nil {
		return err
	}
	r.Tests = s.correction(chosen)
	r.P = min(1, float64(r.Comparison.Randomization.P*float64(r.Tests)))
	r.Beats = r.Comparison.Difference > 0 && r.P < metric.Alpha
	return nil
}

// correction returns the factor for the p-value of a final model: the number of models from which it was
// chosen. A model that the search found is the best of all trials. A model that was fixed before the search
// competes only with other such models: a mean with none, and a trial of TuneOptions.first, if they have no
// mean, with the others.
func (s *search) correction(f *finalModel) int {
	rivals := 1
	switch {
	case len(f.models) > 1:
	case s.averages || !f.models[0].Asked:
		return len(s.trials) - 1
	default:
		rivals = 0
		for _, t := range s.ended() {
			if t.Asked {
				rivals++
			}
		}
	}
	if s.kinds != nil {
		rivals *= 2 // with and without query context
	}
	return rivals
}

// The test of query context (Options.EarnContext). The data has its columns, but trials begin without them.
// After the first bracket, the models that form the result so far are also trained with query context, and
// the result is compared with the same single model, or the same mean, with query context. This is one
// decision for the whole search, on the same validation queries. If query context is used, all later trials
// and the final model have it.

// contextBracket is the bracket that repeats earlier trials with query context.
const contextBracket = 2

// contextErrors is the number of standard errors by which models must be better with query context.
const contextErrors = 1

// ErrContext is the error for a test of query context although the data has none.
var ErrContext = errors.New("query context is to earn its place, and the data have none: load them with " +
	"query_context")

// TuneContext is the result of a test of query context.
type TuneContext struct {
	Kinds []string // kinds as in the parameter query_context
	// the metric with query context minus the metric without it, for the first models, and its standard error
	Difference, Error float64
	Decided           bool // both kinds of models were trained before the budget ended
	Taken             bool // the final model has it
}

// text describes the result.
func (c *TuneContext) text() string {
	kinds := "query_context=" + strings.Join(c.Kinds, ",")
	if !c.Decided {
		return kinds + " was not compared with none, and is not used: the budget ended before; allow more " +
			"trainings or time"
	}
	text := fmt.Sprintf("%s changes the metric by %+.4f ± %.4f (standard error) on the same validation "+
		"queries", kinds,
		c.Difference, c.Error)
	if c.Taken {
		return text + ": it is used. Such a model scores whole queries only, and most programs that load " +
			"exported models refuse it"
	}
	return text + ": it is not used"
}

// separateContext sets the parts without the query context that is tested.
func (s *search) separateContext() error {
	if !s.o.EarnContext {
		return nil
	}
	c := s.parts[0].whole.Meta.Context
	if c == nil || len(s.params.QueryContext) == 0 {
		return ErrContext
	}
	s.kinds, s.params.QueryContext, s.params.QueryContextFeatures = s.params.QueryContext, nil, ""
	s.raw = narrowParts(s.parts, func(feature int) bool { return feature < c.Raw })
	return nil
}

// partsOf returns the data on which a trial is trained and evaluated.
func (s *search) partsOf(t *Trial) []part {
	if s.kinds != nil && !t.Wide {
		return s.raw
	}
	return s.parts
}

// triesContext reports whether the trials of a bracket are earlier ones with query context.
func (s *search) triesContext(bracket int) bool { return s.kinds != nil && bracket == contextBracket }

// withContext returns the trials that form the result so far, with query context.
func (s *search) withContext() (trials []*Trial) {
	for _, t := range s.choice().models {
		settings, _ := s.space.nearest(t.params, nil) // its own, except that the base has none
		trials = append(trials, &Trial{Parent: t.Number, Asked: t.Asked, Settings: settings, Wide: true,
			member: t.member})
	}
	return trials
}

// decideContext decides whether to use query context, from the trials that have it.
func (s *search) decideContext(trials []*Trial) {
	s.context = &TuneContext{Kinds: s.kinds}
	if len(trials) < len(s.withContext()) || slices.ContainsFunc(trials,
		func(t *Trial) bool { return !t.finished() }) {
		return
	}
	without := s.final()
	s.wide = true
	with := s.final()
	if d, err := metric.Differences(without.perQuery, with.perQuery, with.weights); err == nil {
		s.context.Decided, s.context.Difference, s.context.Error = true, d.Mean(), d.StandardError()
		s.context.Taken = with.isAbove(without, contextErrors)
	}
	s.wide = s.context.Taken
}
