package study

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/param"
)

// The final model is chosen from the trials that were trained to the end. On few queries, the largest of many
// values is mostly luck, so a choice begins with what the caller asked for, and moves only for a difference
// above one standard error (the rule of one standard error: L. Breiman et al., Classification and Regression
// Trees, 1984, 3.4.3):
//
//  1. For each objective, the best trial that the caller asked for (Options.First) is chosen, or another
//     trial of that objective if it is better by more than one standard error. If query context is used after
//     a test, this is done separately for trials with and without it.
//  2. The mean of these models is chosen. A model is left out if the mean without it is better by more than
//     two standard errors, since means of more models are better on most data (bench/quality/README.md).
//  3. The defaults are chosen instead if they are better than the result by more than one standard error, or
//     if both are equally good.
//
// Unless Options.Average is set and the models have a mean, step 1 is for all trials together, whatever their
// objectives.

// finalModel is a candidate for the model trained on all data: the model of a trial, or a mean of several.
type finalModel struct {
	models   []*Trial
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
func (s *search) single(t *Trial) *finalModel { return &finalModel{[]*Trial{t}, t.PerQuery, s.weights} }

// final chooses the final model.
func (s *search) final() (*finalModel, error) {
	models := s.firstChoices()
	if len(models) == 0 {
		return s.single(s.trials[0]), nil
	}
	chosen, err := s.mean(models)
	if err != nil {
		return nil, err
	}
	for len(chosen.models) > 1 {
		without, err := s.bestWithout(chosen)
		if err != nil {
			return nil, err
		}
		if !without.isAbove(chosen, 2) {
			break
		}
		chosen = without
	}
	if base := s.single(s.trials[0]); base.isAbove(chosen, 1) || base.value() == chosen.value() {
		return base, nil
	}
	return chosen, nil
}

// firstChoices returns the chosen trial of each objective, in the order in which objectives were first tried.
func (s *search) firstChoices() (models []*Trial) {
	groups, place := [][]*Trial{}, map[string]int{}
	for _, t := range s.ended() {
		if s.averages && !t.hasScale() {
			continue
		}
		key := s.kind(t)
		at, known := place[key]
		if !known {
			at = len(groups)
			place[key], groups = at, append(groups, nil)
		}
		groups[at] = append(groups[at], t)
	}
	for _, group := range groups {
		models = append(models, s.choice(group))
	}
	return models
}

// kind returns the kind of a trial: its objective, and whether it has query context that was tested. One
// trial of each kind is chosen. Without means, all trials are of one kind.
func (s *search) kind(t *Trial) string {
	if !s.averages {
		return ""
	}
	return fmt.Sprint(t.params.Objective, t.Wide)
}

// ended returns the trials that were trained to the end and whose columns may be used, by number.
func (s *search) ended() []*Trial {
	return slices.DeleteFunc(slices.Clone(s.trials), func(t *Trial) bool {
		return t.Step < trialSteps ||
			t.Err != nil || !s.mayUse(t)
	})
}

// choice returns the best of the trials that the caller asked for, unless another trial is clearly better.
func (s *search) choice(group []*Trial) *Trial {
	best := slices.MinFunc(group, betterTrial)
	asked := slices.DeleteFunc(slices.Clone(group), func(t *Trial) bool { return !t.Asked })
	if len(asked) == 0 {
		return best
	}
	if usual := slices.MinFunc(asked, betterTrial); !s.single(best).isAbove(s.single(usual), 1) {
		return usual
	}
	return best
}

// bestWithout returns the best of the means with one model less than f.
func (s *search) bestWithout(f *finalModel) (best *finalModel, err error) {
	for i := range f.models {
		mean, err := s.mean(slices.Delete(slices.Clone(f.models), i, i+1))
		if err != nil {
			return nil, err
		}
		if best == nil || mean.value() > best.value() {
			best = mean
		}
	}
	return best, nil
}

// mean evaluates the mean of the models of trials, each scaled by its spread, as in package booster.
func (s *search) mean(models []*Trial) (*finalModel, error) {
	if len(models) == 1 {
		return s.single(models[0]), nil
	}
	f := &finalModel{models: models, weights: s.weights}
	parts := s.view(models[0]).parts
	for i := range parts {
		meta := parts[i].validData().Meta
		scores := make([]float64, meta.NumRows())
		for _, t := range models {
			factor := models[0].spreads[i] / float64(float64(len(models))*t.spreads[i])
			for row, score := range t.scores[i] {
				scores[row] += float64(score * factor)
			}
		}
		results, err := metric.Evaluate([]metric.Metric{s.metric}, meta, scores, s.params.NumThreads)
		if err != nil {
			return nil, err
		}
		f.perQuery = append(f.perQuery, results[0].PerQuery...)
	}
	return f, nil
}

// canAverage reports whether the models of trials can be averaged, as in package booster.
func (s *search) canAverage() bool {
	for _, d := range s.space {
		if _, ofMembers := booster.ScopeOf(d.Name); !ofMembers {
			return false
		}
	}
	return s.params.Boosting == booster.GBDT && s.parts[0].whole.Meta.InitialScores == nil
}

// hasScale reports whether the trial's models can be scaled. A model that gives all documents of each query
// the same score cannot.
func (t *Trial) hasScale() bool { return len(t.spreads) > 0 && !slices.Contains(t.spreads, 0) }

// modelSettings returns the settings of a model of a mean, in the form of booster.Params.ModelSettings: all
// settings of its trial, and its number of iterations. amongWide means that other models have query context.
func (t *Trial) modelSettings(amongWide bool) string {
	settings := append(slices.Clone(t.Settings), param.Setting{Name: "num_iterations",
		Value: strconv.Itoa(t.Best)})
	if amongWide && !t.Wide {
		settings = append(settings, param.Setting{Name: "query_context"}) // none
	}
	settings = append(settings, param.Setting{Name: "seed", Value: strconv.FormatUint(t.params.Seed, 10)})
	words := make([]string, len(settings))
	for i, s := range settings {
		words[i] = s.Name + "=" + s.Value
	}
	return strings.Join(words, " ")
}
