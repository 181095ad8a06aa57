package study

import (
	"cmp"
	"context"
	"slices"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/metric"
)

// The final model is the model of preset=auto: the mean of its models or, if parameters that the user has set
// leave only one, this one. On few queries, the largest of many values is mostly luck. So the best trial
// takes its place only if it is better by more than one standard error (L. Breiman et al., Classification and
// Regression Trees, 1984, 3.4.3), or by three if it is to replace a mean, since means are better on most data
// (bench/quality/README.md). The defaults take the place of either if they are better by more than one, or as
// good.
//
// The models of a mean differ in their objectives and seeds. Their one number of iterations is the mean of
// their best ones, but at most what the shortest of their runs did.

// FinalModel is a model to train on all data: that of a trial, or a mean of several.
type FinalModel struct {
	Models   []*Trial  // whose mean it is; only the base if nothing is better
	Rounds   int       // iterations of each of these models
	PerQuery []float64 // value of each validation query

	weights []float64 // of the queries; nil: all are equal
}

// value returns the mean over the queries that count, with their weights.
func (f *FinalModel) value() float64 { return metric.NewSample(f.PerQuery, f.weights).Mean() }

// isAbove reports whether f is better than another by more than this many standard errors of the paired
// differences.
func (f *FinalModel) isAbove(other *FinalModel, errors float64) bool {
	d, err := metric.Differences(other.PerQuery, f.PerQuery, f.weights)
	return err == nil && d.Mean()/d.StandardError() > errors
}

// onAll returns the parameters of the model on all data, without early stopping. objective is that of the
// base.
func (f *FinalModel) onAll(objective string) booster.Params {
	p := final(f.Models[0].params, f.Rounds)
	if len(f.Models) > 1 {
		p.NumModels, p.Objective = len(f.Models), objective
		for _, t := range f.Models {
			p.ModelObjectives = append(p.ModelObjectives, t.params.Objective)
		}
	}
	return p
}

// single returns the model of a trial.
func (s *search) single(t *Trial) *FinalModel {
	return &FinalModel{[]*Trial{t}, t.Best, t.PerQuery, s.weights}
}

// final chooses the final model.
func (s *search) final() *FinalModel {
	base := s.single(s.trials[0])
	ended := bestOf(s.trials[1:], trialSteps)
	if len(ended) == 0 {
		return base
	}
	chosen, best, errors := s.usual, s.single(ended[0]), 3.0
	if chosen != nil && len(chosen.Models) == 1 {
		errors = 1
	}
	if chosen == nil || best.isAbove(chosen, errors) {
		chosen = best
	}
	if base.isAbove(chosen, 1) || base.value() == chosen.value() {
		return base
	}
	return chosen
}

// judgePreset evaluates the model of preset=auto: the mean of the models of these trials up to the first one
// that has none. There is no mean if one of them gives all documents of each query the same score, so that it
// has no scale, or if the user wants one model.
func (s *search) judgePreset(models []*Trial) error {
	if n := slices.IndexFunc(models, func(t *Trial) bool { return t.Err != nil }); n >= 0 {
		models = models[:n]
	}
	if len(models) == 1 && len(s.o.preset) == 1 {
		s.usual = s.single(models[0])
	}
	if len(models) < 2 || slices.Contains(s.o.Given, "num_models") {
		return nil
	}
	f := &FinalModel{Models: models, Rounds: commonRounds(models), weights: s.weights}
	p, mean := f.onAll(s.params.Objective), Trained{Best: f.Rounds}
	err := s.do(&mean, s.kept.job("mean", rounds.ParameterFacts(p.Table())), func() (err error) {
		mean.PerQuery, err = s.trainMean(p)
		return err
	})
	if err == nil && mean.Err != nil {
		s.log.Info("the models of preset=auto have no mean: " + mean.Err.Error())
		return nil
	}
	f.PerQuery, s.usual = mean.PerQuery, f
	return err
}

// trainMean trains a mean on all folds, as a final model is trained, and returns the values of the validation
// queries.
func (s *search) trainMean(p booster.Params) ([]float64, error) {
	fitted, several := make([]fittedPart, len(s.parts)), 0
	several, p.NumThreads = par.AtOnce(len(fitted), s.parts[0].whole.Meta.NumRows(), p.NumThreads)
	err := par.Try(several, len(fitted), func(i int) error {
		r, err := booster.Train(s.ctx, p, s.parts[i].trainData(), nil, booster.Options{})
		if err = cmp.Or(err, context.Cause(s.ctx)); err != nil {
			return err
		}
		fitted[i].Model = r.Model
		return fitted[i].score(s.parts[i].validData(), p.NumThreads, s.metric)
	})
	return perQuery(fitted), err
}

// commonRounds returns the number of iterations of all models of a mean.
func commonRounds(models []*Trial) int {
	sum, shortest := 0, len(models[0].Curve)
	for _, t := range models {
		sum, shortest = sum+t.Best, min(shortest, len(t.Curve))
	}
	return min((sum+len(models)/2)/len(models), shortest)
}

// compare compares the final model with the base. The p-value is corrected for the number of models from
// which the model was chosen: that of preset=auto was fixed before the search, and one that the search found
// is the best of all trials.
func (s *search) compare(r *TuneResult, chosen *FinalModel) (err error) {
	r.Comparison, err = metric.Compare(r.base().PerQuery, chosen.PerQuery, s.weights, s.tests)
	if err != nil {
		return err
	}
	if r.Tests = 1; chosen != s.usual {
		r.Tests = len(s.trials) - 1
	}
	r.P = min(1, float64(r.Comparison.Randomization.P*float64(r.Tests)))
	r.Beats = r.Comparison.Difference > 0 && r.P < metric.Alpha
	return nil
}
