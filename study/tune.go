package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
)

// TuneOptions are the options of [Tune].
type TuneOptions struct {
	Options // all trials have the caller's objective; the event of a step is of kind "trial"

	// Space lists the parameters to search, with their values, for example {"num_leaves", "7..127 log"},
	// {"objective", "lambdarank | rank_xendcg"} or, for a constant, {"bagging_freq", "1"}. If it is empty,
	// it is set to suit the data, and the search begins with the models of preset=auto, whose mean is the final
	// model unless a single trial is clearly better.
	Space  []param.Setting
	Given  []string        // names of parameters that the user has set, which are not searched
	Config []param.Setting // settings that are added to those of the final model in the file train.conf
	Trials int             // number of trials, without the base
	Seed   uint64          // determines the settings that are tried

	preset [][]param.Setting // settings of the models of preset=auto
}

// The shape of a search, which the package documentation explains.
const (
	bracketSize = 9
	reduction   = 3 // the first step has a third of the data, and the second one a third of the trials
	trialSteps  = 2
)

// search is the state of a search in progress.
type search struct {
	begun
	o      TuneOptions
	space  searchSpace
	trials []*Trial
	usual  *FinalModel // the model of preset=auto; nil if there is none
}

// Trial is a setting of the searched parameters with the result of training.
type Trial struct {
	Number   int // from 0, the base
	Settings []param.Setting

	Step    int     // number of steps done; with [trialSteps], it was trained on all folds
	Trained         // in its last step; Seconds is of all steps, and Kept means any of them
	Value   float64 // of the smoothed curve at Best

	params booster.Params
}

// Tune tries settings of the space, on top of the parameters p, evaluated by p.StopMetric. If o.Space is
// empty, a space that suits the data is searched, and, if the models can be averaged, the result is a mean of
// models. Result.Params returns the best parameters, with the number of iterations:
//
//	r, err := study.Tune(ctx, p.Params, study.On(d, study.Folds{}), study.TuneOptions{Trials: 30})
//	p.Params = r.Params()
//	final, err := lambdamart.Train(ctx, p, d)
//
// p.NumIterations is the largest number of iterations of a trial, and p.Patience stops trials early. If ctx
// is canceled, it returns the cause; with Options.Keep, the same call continues from there. Result.Beats
// reports whether the gain is larger than chance would explain.
func Tune(ctx context.Context, p booster.Params, d Data, o TuneOptions) (_ *TuneResult, err error) {
	defer d.loaded.Guard(&err)()
	s, err := newSearch(ctx, p, d, o)
	if err != nil {
		return nil, err
	}
	if err := s.begin(); err != nil {
		return nil, err
	}
	for s.left() > 0 {
		if err := s.bracket(s.draw()); err != nil {
			return nil, err
		}
	}
	return s.result()
}

// newSearch validates everything before any training run.
func newSearch(ctx context.Context, p booster.Params, d Data, o TuneOptions) (*search, error) {
	if len(o.Space) == 0 {
		o.suggest(&p, d.Train.Meta)
	}
	b, err := newBegun(ctx, p, d, o.Options, o.Check(&p))
	if err != nil {
		return nil, err
	}
	b.tests.Seed = o.Seed
	s := &search{begun: b, o: o}
	if s.space, err = newSpace(o.Space); err != nil {
		return nil, err
	}
	if err := s.checkEffects(); err != nil {
		return nil, err
	}
	for _, d := range s.space {
		s.log.Info("searched: " + d.String())
	}
	return s, s.keep(o.Keep)
}

// Check returns an error for options that are invalid with the parameters p, and for parameters that are
// valid for training but not for trials. [Tune] calls it; a caller may do so before it reads any data.
func (o *TuneOptions) Check(p *booster.Params) error {
	return errors.Join(o.Options.Check(p), checkTune(p), o.checkOwn())
}

// checkOwn returns an error for invalid options that other studies do not have, such as a space with
// parameters that the user has set.
func (o *TuneOptions) checkOwn() error {
	if o.Trials < 1 {
		return fmt.Errorf("%s: want at least 1", wording.Count(o.Trials, "trial"))
	}
	if len(o.Space) == 0 {
		return nil
	}
	space, err := newSpace(o.Space)
	for _, d := range space {
		switch {
		case slices.Contains(o.Given, d.Name):
			return fmt.Errorf("%s is given a value and is searched too (%v); leave one out", d.Name, d)
		case o.Objective != nil && d.Name == "objective":
			return errors.New("the space has objectives, but all trials have the objective of the caller; " +
				"leave one out")
		}
	}
	return err
}

// checkEffects reports parameters that have no effect in any trial. It returns an error if one of them is
// searched, because its trials would be the same.
func (s *search) checkEffects() error {
	var remarks map[string]string // by setting; the rest of a remark depends on the objective
	for _, u := range []float64{0.1, 0.5, 0.9} {
		for _, objective := range s.space.objectives(&s.params) {
			p, own := s.params, map[string]string{}
			if _, err := p.Table().Apply(s.space.settings(func(int) float64 { return u })); err != nil {
				return err
			}
			p.Objective = objective
			for _, remark := range p.Cautions() {
				name, _, _ := strings.Cut(remark, "=")
				own[name] = remark
			}
			if remarks == nil {
				remarks = own
			}
			maps.DeleteFunc(remarks, func(name, _ string) bool { return own[name] == "" })
		}
	}
	for _, name := range slices.Sorted(maps.Keys(remarks)) {
		if slices.ContainsFunc(s.space, func(d dimension) bool { return d.Name == name && !d.fixed() }) {
			return fmt.Errorf("%w: %s", ErrSpace, remarks[name])
		}
		s.log.Warn(remarks[name])
	}
	return nil
}

// left returns the number of trials that may still begin.
func (s *search) left() int { return s.o.Trials - (len(s.trials) - 1) }

// begin trains the base and the models of preset=auto on all folds.
func (s *search) begin() error {
	if err := s.step(s.add(nil), trialSteps, s.parts); err != nil {
		return err
	}
	if s.trials[0].Err != nil {
		return s.trials[0].Err
	}
	presets := s.add(s.o.preset[:min(len(s.o.preset), s.left())]...)
	if err := s.step(presets, trialSteps, s.parts); err != nil {
		return err
	}
	return s.judgePreset(presets)
}

// draw adds the trials of the next bracket, with random settings.
func (s *search) draw() []*Trial {
	settings := make([][]param.Setting, min(bracketSize, s.left()))
	for i := range settings {
		key := random.New(s.o.Seed, random.SearchSpace, len(s.trials)+i)
		settings[i] = s.space.settings(key.Float64)
	}
	return s.add(settings...)
}

// add adds a trial for each list of settings. Those of preset=auto have the seeds of the models of a mean.
func (s *search) add(settings ...[]param.Setting) []*Trial {
	first := len(s.trials)
	for _, list := range settings {
		t := &Trial{Number: len(s.trials), Settings: list, params: s.params}
		s.trials = append(s.trials, t)
		if _, t.Err = t.params.Table().Apply(list); t.Err != nil {
			continue
		}
		if first == 1 && len(s.o.preset) > 1 {
			t.params = t.params.Member(t.Number - 1)
		}
		if patience := float64(s.params.Patience); patience > 0 { // that of the base, as a sum of learning rates
			scaled := patience * s.params.LearningRate / t.params.LearningRate
			t.params.Patience = int(math.Round(min(max(scaled, patience/2), 5*patience)))
		}
		t.Err = s.o.validate(&t.params)
	}
	return s.trials[first:]
}

// bracket trains trials by halving: all on a third of the folds, and the best third on all data. If there is
// one validation set, the first step has a third of the training queries, and small data have no such step.
func (s *search) bracket(trials []*Trial) error {
	parts := s.parts[:third(len(s.parts))]
	if len(s.parts) == 1 {
		parts = sampleParts(s.parts, 1.0/reduction, s.o.Seed)
	}
	if len(s.parts) > 1 || s.parts[0].whole.Meta.NumRows() > smallRows {
		if err := s.step(trials, 1, parts); err != nil {
			return err
		}
		trials = bestOf(trials, 1)
		trials = trials[:third(len(trials))]
	}
	return s.step(trials, trialSteps, s.parts)
}

// third returns a third of a number, rounded up.
func third(n int) int { return (n + reduction - 1) / reduction }

// bestOf returns the trials that have ended with this step, the largest value first.
func bestOf(trials []*Trial, step int) []*Trial {
	ended := slices.DeleteFunc(slices.Clone(trials), func(t *Trial) bool {
		return t.Step != step || t.Err != nil
	})
	slices.SortFunc(ended, betterTrial)
	return ended
}

// betterTrial orders trials by their values, the largest first.
func betterTrial(a, b *Trial) int {
	return cmp.Or(-cmp.Compare(a.Value, b.Value), cmp.Compare(a.Number, b.Number))
}

// step performs a step of all trials on these parts, several at the same time.
func (s *search) step(trials []*Trial, step int, parts []part) error {
	several, threads := par.AtOnce(len(trials), s.parts[0].whole.Meta.NumRows(), s.params.NumThreads)
	return par.Try(several, len(trials), func(i int) error {
		if trials[i].Err != nil {
			return nil
		}
		return s.try(trials[i], step, parts, threads)
	})
}

// try performs a step of a trial with this many threads, unless that was done before. An error of training is
// recorded in the trial.
func (s *search) try(t *Trial, step int, parts []part, threads int) error {
	p, done := t.params, Trained{}
	p.NumThreads = threads
	err := s.trainOnce(&done, s.kept.job("trial", step, rounds.ParameterFacts(p.Table())), p, parts)
	if err != nil {
		return err
	}
	done.Kept, done.Seconds = t.Kept || done.Kept, t.Seconds+done.Seconds
	if t.Kept, t.Err = done.Kept, done.Err; t.Err == nil {
		t.Step, t.Trained = step, done
		_, t.Value = smooth(t.Curve, t.params.MinDelta)
	}
	if t.Number == 0 && t.Kept {
		s.log.Info("continuing from the trials in " + s.o.Keep.Folder)
	}
	s.logTrial(t)
	return nil
}

// logTrial reports a trial that has done a step, or failed to.
func (s *search) logTrial(t *Trial) {
	metric, settings, text, log := s.metric.Name(), []string{}, "the defaults", s.log.Info
	for _, s := range t.Settings {
		settings = append(settings, s.Name+"="+s.Value)
	}
	if t.Number > 0 {
		text = fmt.Sprintf("trial %d (%s)", t.Number, strings.Join(settings, " "))
	}
	facts := []any{"event", "trial", "trial", t.Number, "step", t.Step, "of", trialSteps, "metric", metric,
		"value", t.Value, "best_iteration", t.Best, "iterations", len(t.Curve), "settings", settings,
		"kept", t.Kept}
	var panicked *training.PanicError
	switch {
	case t.Err == nil:
		text += fmt.Sprintf(": step %d of %d: %s %.4f after %d of %s", t.Step, trialSteps, metric,
			t.Value, t.Best, wording.Count(len(t.Curve), "iteration"))
		if t.Step < trialSteps { // trials that are given up would hide the others
			log = s.log.Debug
		}
	default:
		text, facts = text+": "+t.Err.Error(), append(facts, "error", t.Err.Error())
		if errors.As(t.Err, &panicked) {
			text += "\nthis is a defect; please report this message; other trials go on\nstack: " +
				strings.Join(panicked.Stack, "\n  ")
		}
	}
	log(text, facts...)
}
