package study

import (
	"errors"
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
)

// The final model is chosen from the trials that were trained to the end, and the mean of the models of
// TuneOptions.First. On few queries, the largest of many values is mostly luck, so the choice begins with
// what the caller asked for, and moves only for a difference above one standard error (the rule of one
// standard error: L. Breiman et al., Classification and Regression Trees, 1984, 3.4.3):
//
//  1. With TuneOptions.Average, the mean of the models of First is chosen, otherwise the best trial of First.
//  2. The best trial is chosen instead if it is better by more than one standard error, or two if it is to
//     replace a mean, since means are better on most data (bench/quality/README.md); or if there is nothing
//     else.
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
	best, usual, errors := s.single(slices.MinFunc(ended, betterTrial)), s.means[contextIndex(s.wide)], 2.0
	asked := slices.DeleteFunc(ended, func(t *Trial) bool { return !t.Asked })
	if usual == nil && len(asked) > 0 {
		usual, errors = s.single(slices.MinFunc(asked, betterTrial)), 1
	}
	if usual == nil || best.isAbove(usual, errors) {
		return best
	}
	return usual
}

// ended returns the trials that were trained to the end and that may be final, by number.
func (s *search) ended() []*Trial {
	return slices.DeleteFunc(slices.Clone(s.trials), func(t *Trial) bool {
		return t.Step < trialSteps || t.Err != nil || t.Wide != s.wide
	})
}

// isMember reports whether the model of a trial may be part of a mean.
func (s *search) isMember(t *Trial) bool { return s.averages && t.Asked }

// judgeMean evaluates the mean of the models of these trials up to the first one that has none, and releases
// their memory.
func (s *search) judgeMean(trials []*Trial) error {
	defer func() {
		for _, t := range trials {
			t.release()
		}
	}()
	n := slices.IndexFunc(trials, func(t *Trial) bool {
		return !s.isMember(t) || t.Step < trialSteps || t.Err != nil
	})
	if n < 0 {
		n = len(trials)
	}
	if n < 2 {
		return nil
	}
	mean, err := s.mean(trials[:n])
	s.means[contextIndex(trials[0].Wide)] = mean
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
	for i, p := range s.view(models[0]).parts {
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
	sum, shortest := 0, models[0].Rounds
	for _, t := range models {
		sum, shortest = sum+t.Best, min(shortest, t.Rounds)
	}
	return min((sum+len(models)/2)/len(models), shortest)
}

// fitted returns the models of a mean by trial and part. Trials that were loaded from the store are trained
// again.
func (s *search) fitted(f *finalModel) ([][]fittedPart, error) {
	all := make([][]fittedPart, len(f.models))
	several := min(s.threads(), len(f.models))
	return all, atOnce(len(f.models), several, func(i int) error {
		t := f.models[i]
		err := s.beginTrial(t, s.view(t).parts, max(1, s.threads()/several))
		if err == nil {
			err = t.training.advance(f.rounds)
		}
		if err == nil {
			all[i], err = t.training.judgeAll(f.rounds)
		}
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

// canAverage reports whether the models of trials can be averaged, as in package booster.
func (s *search) canAverage() bool {
	return s.params.Boosting == booster.GBDT && s.parts[0].whole.Meta.InitialScores == nil
}

// checkFirst returns an error for settings to try first that cannot be those of one mean.
func (s *search) checkFirst() error {
	var all []string
	for _, settings := range s.o.First {
		trees := slices.DeleteFunc(s.space.settings(s.space.nearest(&s.params, settings)),
			func(s param.Setting) bool { return s.Name == "objective" })
		all = append(all, fmt.Sprint(trees))
	}
	if slices.Sort(all); len(slices.Compact(all)) > 1 {
		return errors.New("models of a mean (First and Average) differ in their objectives only; give the other " +
			"parameters the same values, or leave Average out")
	}
	return nil
}
