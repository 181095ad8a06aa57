package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/objective"
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
	Trials int             // the largest number of trials, without the base; 0: any number
	Time   time.Duration   // time after which no training run begins; 0: unlimited
	Seed   uint64          // determines the settings that are tried

	// EarnContext tests query context (tune_final.go), whose columns the data must have: trials use it only
	// after models with query context have proved better. Otherwise trials use all columns of the data.
	EarnContext bool

	first   [][]param.Setting // settings to try first, moved into the space, and trained on all folds
	average bool              // the final model may be the mean of the models of first (tune_final.go)
}

// The shape of a search, which the package documentation explains.
const (
	bracketSize = 9
	reduction   = 3 // the first step has a third of the data, and the second one a third of the trials
	trialSteps  = 2
)

// ErrBudget is the error for a search without a budget.
var ErrBudget = errors.New("the budget is nothing: allow at least one training run, or some seconds")

// search is the state of a search in progress.
type search struct {
	begun
	o     TuneOptions
	space searchSpace
	first [][]param.Setting // of o.first, in the space

	kinds   []string     // kinds of query context that are being tested; nil: none
	raw     []part       // parts without that query context
	context *TuneContext // the result of the test; nil before it, and without kinds
	wide    bool         // query context is used

	averages bool                 // the final model may be a mean
	means    map[bool]*finalModel // of the models of first without and with query context
	end      time.Time
	trials   []*Trial
}

// Trial is a setting of the searched parameters with the result of training.
type Trial struct {
	Number   int // from 0, the base
	Bracket  int // from 1; 0 for the base
	Parent   int // number of the trial that it repeats with query context; 0: none, or the base
	Settings []param.Setting

	Step     int       // number of steps done; with [trialSteps], it was trained on all folds
	Best     int       // the best iteration, from 1, by the smoothed curve
	Value    float64   // of the smoothed curve at Best
	Curve    []float64 // the metric after each iteration
	PerQuery []float64 // value of each validation query of the folds of its last step, after the best iteration
	Seconds  float64   // total training time over all folds and steps
	Err      error     // why it could not be trained; nil if it could
	Kept     bool      // a step was loaded from [TuneOptions].Keep instead of being trained
	Asked    bool      // it is one of the models of preset=auto
	Wide     bool      // it has the query context that is tested

	params booster.Params
	member int       // number of its model in the mean of the first models
	run    *jointRun // the finished run, if a mean needs its models
}

// Tune tries settings of the space, on top of the parameters p, on parts of the same data, evaluated by
// p.StopMetric. p.NumIterations is the largest number of iterations of a trial, and p.Patience stops trials
// early. If ctx is canceled, it returns the cause; with Options.Keep, the same call continues from there.
func Tune(ctx context.Context, p booster.Params, d Data, o TuneOptions) (*TuneResult, error) {
	s, err := newSearch(ctx, p, d, o)
	if err != nil {
		return nil, err
	}
	if err := s.trainBase(); err != nil {
		return nil, err
	}
	for bracket := 1; !s.late(); bracket++ {
		trials := s.draw(bracket)
		if len(trials) == 0 {
			break
		}
		s.trials = append(s.trials, trials...)
		if err := s.bracket(trials); err != nil {
			return nil, err
		}
		if s.triesContext(bracket) {
			s.decideContext(trials)
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
	s := &search{begun: b, o: o, means: map[bool]*finalModel{}}
	if s.space, err = newSpace(o.Space); err != nil {
		return nil, err
	}
	s.tellSpace()
	if err := errors.Join(s.separateContext(), s.setFirst(), s.checkEffects()); err != nil {
		return nil, err
	}
	if o.Time > 0 {
		s.end = time.Now().Add(o.Time)
	}
	return s, s.keep(o.Keep, p.QueryContext) // s.params may lack query context while it is being tested
}

// Check returns an error for options that are invalid with the parameters p, and for parameters that are
// valid for training but not for trials. [Tune] calls it; a caller may do so before it reads any data.
func (o *TuneOptions) Check(p *booster.Params) error {
	return errors.Join(o.Options.Check(p), checkTune(p), o.checkOwn())
}

// checkOwn returns an error for invalid options that other studies do not have, such as a space with
// parameters that the user has set.
func (o *TuneOptions) checkOwn() error {
	if o.Trials <= 0 && o.Time <= 0 {
		return ErrBudget
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

// tellSpace reports the space, and the parameters that have no effect in any trial.
func (s *search) tellSpace() {
	for _, caution := range tuneCautions(&s.params, s.space) {
		s.tell(warning(caution))
	}
	for _, d := range s.space {
		s.tell(note("searched: " + d.String()))
	}
}

// setFirst sets the settings that are tried first, each once.
func (s *search) setFirst() error {
	s.averages = s.o.average && s.params.Boosting == booster.GBDT &&
		s.parts[0].whole.Meta.InitialScores == nil // as in package booster
	for _, settings := range s.o.first {
		next, err := s.space.nearest(s.params, settings)
		if err != nil {
			return fmt.Errorf("settings to try first: %w", err)
		}
		if !slices.ContainsFunc(s.first, func(f []param.Setting) bool { return slices.Equal(f, next) }) {
			s.first = append(s.first, next)
		}
	}
	return nil
}

// checkEffects returns an error for a searched parameter that has no effect with any objective of the space,
// because all its trials would be the same.
func (s *search) checkEffects() error {
	p, choices := s.params, s.space.objectives(&s.params)
	if _, err := p.Table().Apply(s.space.settings(everywhere(0.5))); err != nil {
		return err
	}
	for i := range s.space {
		name := s.space[i].Name
		uses := func(objective string) bool { return objectiveUses(name, objective) }
		switch {
		case s.space[i].fixed():
		case !slices.ContainsFunc(choices, uses):
			return fmt.Errorf("%w: %s has no effect with objective=%v; leave it out", ErrSpace, name, choices)
		case name == "bagging_fraction" && p.BaggingFreq == 0:
			return fmt.Errorf("%w: bagging_fraction has no effect while bagging_freq=0; add bagging_freq = 1",
				ErrSpace)
		}
	}
	return nil
}

// objectiveUses reports whether a parameter has an effect with an objective. Parameters that no objective has
// are parameters of trees.
func objectiveUses(name, of string) bool {
	all := objective.DefaultAllParams()
	return objective.Table(&all).Find(name) == nil || objective.Uses(of, name)
}

// late reports whether the time is used up, so no more training runs may begin.
func (s *search) late() bool { return !s.end.IsZero() && !time.Now().Before(s.end) }

// trainBase trains the base on all folds.
func (s *search) trainBase() error {
	base := &Trial{params: s.params}
	s.trials = []*Trial{base}
	if err := s.do(base, trialSteps, s.params.NumThreads); err != nil {
		return err
	}
	return base.Err
}

// draw returns the trials of the next bracket, not yet trained, beginning with those that the caller asks
// for. It returns none when the budget of trials is used up.
func (s *search) draw(bracket int) (trials []*Trial) {
	switch {
	case bracket == 1 && len(s.first) > 0:
		for i, settings := range s.first {
			trials = append(trials, &Trial{Asked: true, Settings: settings, member: i})
		}
	case s.triesContext(bracket):
		trials = s.withContext()
	default:
		for i := range bracketSize {
			key := random.New(s.o.Seed, random.SearchSpace, len(s.trials)+i)
			trials = append(trials, &Trial{Settings: s.space.settings(key.Float64)})
		}
	}
	if s.o.Trials > 0 {
		trials = trials[:max(0, min(len(trials), s.o.Trials-(len(s.trials)-1)))]
	}
	for i, t := range trials {
		t.Number, t.Bracket, t.Wide = len(s.trials)+i, bracket, t.Wide || s.wide
		t.Err = s.prepare(t)
	}
	return trials
}

// prepare sets the parameters of a trial.
func (s *search) prepare(t *Trial) error {
	t.params = s.params
	if t.Wide {
		t.params.QueryContext = s.kinds
	}
	if _, err := t.params.Table().Apply(t.Settings); err != nil {
		return err
	}
	if s.isMember(t) {
		t.params = t.params.Member(t.member)
	}
	if patience := float64(s.params.Patience); patience > 0 { // that of the base, as a sum of learning rates
		scaled := patience * s.params.LearningRate / t.params.LearningRate
		t.params.Patience = int(math.Round(min(max(scaled, patience/2), 5*patience)))
	}
	return s.o.validate(&t.params)
}

// bracket trains trials by halving: all on a third of the data, and the best third on all data. Trials that
// the caller asked for, and the first ones with query context, are trained on all folds.
func (s *search) bracket(trials []*Trial) error {
	if trials[0].Asked || s.triesContext(trials[0].Bracket) {
		if err := s.step(trials, trialSteps); err != nil {
			return err
		}
		return s.judgeMean(trials)
	}
	if s.halves() {
		if err := s.step(trials, 1); err != nil {
			return err
		}
		trials = slices.DeleteFunc(slices.Clone(trials), func(t *Trial) bool { return t.Step == 0 })
		slices.SortFunc(trials, betterTrial)
		trials = trials[:(len(trials)+reduction-1)/reduction]
	}
	return s.step(trials, trialSteps)
}

// halves reports whether a bracket has a first step, which small data with one validation set do not have.
func (s *search) halves() bool {
	return len(s.parts) > 1 || s.parts[0].whole.Meta.NumRows() > smallRows
}

// firstParts returns the data of the first step: a third of the folds, or of the training queries if there is
// one validation set.
func (s *search) firstParts(parts []part) []part {
	if len(parts) == 1 {
		return sampleParts(parts, 1.0/reduction, s.o.Seed)
	}
	return parts[:(len(parts)+reduction-1)/reduction]
}

// betterTrial orders trials by their values, the largest first.
func betterTrial(a, b *Trial) int {
	return cmp.Or(-cmp.Compare(a.Value, b.Value), cmp.Compare(a.Number, b.Number))
}

// step performs a step of all trials, several at the same time.
func (s *search) step(trials []*Trial, step int) error {
	several, threads := s.atOnce(len(trials))
	return atOnce(len(trials), several, func(i int) error {
		if s.late() || trials[i].Err != nil {
			return nil
		}
		return s.do(trials[i], step, threads)
	})
}

// atOnce returns how many of n trials are trained at the same time, and on how many threads each.
func (s *search) atOnce(n int) (several, threads int) {
	return par.AtOnce(n, s.parts[0].whole.Meta.NumRows(), s.params.NumThreads)
}

// storedTrial is the result of a step of a trial in a store.
type storedTrial struct {
	Curve    []float64 `json:"curve"`
	PerQuery nullable  `json:"queries,omitempty"` // null for a query that does not count
	Seconds  float64   `json:"seconds"`
	Err      string    `json:"error,omitempty"`
}

// do performs a step of a trial with this many threads, unless that was done before. An error of training is
// recorded in the trial.
func (s *search) do(t *Trial, step, threads int) error {
	parts := s.partsOf(t)
	if step < trialSteps {
		parts = s.firstParts(parts)
	}
	entry := s.kept.job("trial", step, training.ParameterFacts(t.params.Table()))
	var done storedTrial
	found, err := entry.load(&done, func() bool { return len(done.Curve) > 0 || done.Err != "" })
	if err != nil {
		return err
	}
	if found && done.Err != "" {
		t.Err = errors.New(done.Err)
	}
	if !found {
		if done, t.Err = s.train(t, parts, threads); s.ctx.Err() != nil {
			return context.Cause(s.ctx)
		}
		var panicked *training.PanicError
		if !errors.As(t.Err, &panicked) { // one that panicked is tried again
			if err := entry.save(done); err != nil {
				return err
			}
		}
	}
	t.Kept, t.Seconds = t.Kept || found, t.Seconds+done.Seconds
	if t.Err == nil {
		t.Step, t.Curve, t.PerQuery = step, done.Curve, done.PerQuery
		t.Best, t.Value = smooth(t.Curve, t.params.MinDelta)
	}
	if t.Number == 0 && t.Kept {
		s.tell(note("continuing from the trials in " + s.o.Keep.Folder))
	}
	s.tell(trialEvent(t, s.metric.Name()))
	return nil
}

// train trains a trial on parts until it stops.
func (s *search) train(t *Trial, parts []part, threads int) (storedTrial, error) {
	p := t.params
	p.NumThreads = threads
	f, err := s.begun.train(p, parts)
	if err != nil {
		return storedTrial{Err: err.Error()}, err
	}
	if s.isMember(t) {
		t.run = f.run
	}
	return storedTrial{Curve: f.run.means(), PerQuery: f.PerQuery, Seconds: f.Seconds}, nil
}

// finished reports whether the trial was trained on all folds.
func (t *Trial) finished() bool { return t.Step == trialSteps && t.Err == nil }

// failure returns why the trial could not be trained and, after a panic, what to report.
func (t *Trial) failure() string {
	var panicked *training.PanicError
	if !errors.As(t.Err, &panicked) {
		return t.Err.Error()
	}
	return fmt.Sprintf("%v\nthis is a defect; please report this message; other trials go on\nstack: %s", t.Err,
		strings.Join(panicked.Stack, "\n  "))
}

// trialEvent returns the event of a trial that has done a step.
func trialEvent(t *Trial, name string) Event {
	settings := []string{}
	for _, s := range t.Settings {
		settings = append(settings, s.Name+"="+s.Value)
	}
	if t.Wide {
		settings = append(settings, "query_context="+strings.Join(t.params.QueryContext, ","))
	}
	text := fmt.Sprintf("trial %d (%s)", t.Number, strings.Join(settings, " "))
	if t.Number == 0 {
		text = "the defaults"
	}
	facts := report.Record{"trial", t.Number, "step", t.Step, "of", trialSteps, "metric", name,
		"value", t.Value, "best_iteration", t.Best, "iterations", len(t.Curve), "settings", settings,
		"kept", t.Kept}
	if t.Err != nil {
		return Event{Kind: "trial", Level: 1, Text: text + ": " + t.failure(),
			Fields: append(facts, "error", t.Err.Error())}
	}
	level := 1
	if t.Step < trialSteps { // trials that are given up would hide the others
		level = 2
	}
	text += fmt.Sprintf(": step %d of %d: %s %.4f after %d of %d iterations", t.Step, trialSteps, name,
		t.Value, t.Best, len(t.Curve))
	return Event{Kind: "trial", Level: level, Text: text, Fields: facts}
}
