package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/param"
)

// TuneOptions are the options of [Tune].
type TuneOptions struct {
	Options // all trials have the caller's objective; the event of a step is of kind "trial"

	// Space lists the parameters to search, with their values, for example {"num_leaves", "7..127 log"},
	// {"objective", "lambdarank | rank_xendcg"} or, for a constant, {"bagging_freq", "1"}. If it is empty,
	// Space, First and Average are set to suit the data.
	Space  []param.Setting
	Given  []string          // names of parameters that the user has set, which are not searched
	Config []param.Setting   // settings that are added to those of the final model in the file train.conf
	First  [][]param.Setting // settings to try first, mapped to points of the space, and trained to the end
	Trials int               // the largest number of trials, without the base; 0: any number
	Time   time.Duration     // time after which no training run begins; 0: unlimited
	Seed   uint64            // determines the points of the space that are tried

	// EarnContext tests query context (tune_context.go), whose columns the data must have: trials use it only
	// after models with query context have proved better. Otherwise trials use all columns of the data.
	EarnContext bool

	// Average makes the final model the mean of the models of First, which then differ in their objectives
	// only, unless a single trial is clearly better (tune_final.go). It has no effect if models cannot be
	// averaged, and if First has one objective.
	Average bool
}

// The shape of a search, which the package documentation explains.
const (
	bracketSize = 9
	reduction   = 3 // factor by which a step reduces the number of trials
	trialSteps  = 3 // number of steps of a trial that is trained to the end
	leastRounds = 20
	bestParents = 3 // number of best trials from which changed copies are made
)

// rowLimits determine when the first step uses only a part of the training queries.
type rowLimits struct {
	many   int // it uses a part if the data has more rows than this
	fewest int // smallest mean number of rows of that part
}

var trialLimits = rowLimits{many: 200_000, fewest: 100_000}

// share returns the share of the training queries for the first step.
func (l rowLimits) share(rows int) float64 {
	if rows <= l.many {
		return 1
	}
	return max(1.0/8, float64(l.fewest)/float64(rows))
}

// ErrBudget is the error for a search without a budget.
var ErrBudget = errors.New("the budget is nothing: allow at least one training run, or some seconds")

// search is the state of a search in progress.
type search struct {
	begun
	views [2]trialView // of trials without the query context that is being tested, and of trials with it
	kinds []string     // kinds of query context that are being tested; nil: none
	o     TuneOptions
	space searchSpace

	context *TuneContext // the result of the test of query context; nil before it, and without kinds
	wide    bool         // query context is used

	averages bool           // the final model may be a mean
	means    [2]*finalModel // of the models of First without and with query context; nil: there is none
	length   float64        // sum of learning rates of the base's best iteration
	end      time.Time
	trials   []*Trial
}

// trialView is the data on which trials with the same columns are trained and evaluated.
type trialView struct {
	parts []part // all validation and training queries
	few   []part // parts with some of the training queries, for the first step; nil: it uses parts
}

// Tune tries settings of the space, on top of the parameters p, on parts of the same data, evaluated by
// p.StopMetric. p.NumIterations is the largest number of iterations of a trial, and p.Patience stops trials
// early. If ctx is canceled, it returns the cause; with Options.Keep, the same call continues from there.
func Tune(ctx context.Context, p booster.Params, d Data, o TuneOptions) (*TuneResult, error) {
	return searchWithin(ctx, trialLimits, p, d, o)
}

// searchWithin is like [Tune], with the given limits of rows.
func searchWithin(ctx context.Context, limits rowLimits, p booster.Params, d Data,
	o TuneOptions) (*TuneResult, error) {
	s, err := newSearch(ctx, limits, p, d, o)
	if err != nil {
		return nil, err
	}
	defer s.close()
	if err := s.trainBase(); err != nil {
		return nil, err
	}
	for bracket := 1; ; bracket++ {
		trials := s.draw(bracket)
		if len(trials) == 0 || s.late() {
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
func newSearch(ctx context.Context, limits rowLimits, p booster.Params, d Data,
	o TuneOptions) (*search, error) {
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
	s.tellSpace()
	if err := s.look(limits); err != nil {
		return nil, err
	}
	if s.averages = o.Average && s.canAverage(); s.averages {
		if err := s.checkFirst(); err != nil {
			return nil, err
		}
	}
	if o.Time > 0 {
		s.end = time.Now().Add(o.Time)
	}
	if err := s.checkEffects(); err != nil {
		return nil, err
	}
	return s, s.keep(o.Keep, p.QueryContext) // s.params may lack query context while it is being tested
}

// Check returns an error for options that are invalid with the parameters p, and for parameters that are
// valid for training but not for trials. [Tune] calls it; a caller may do so before it reads any data.
func (o *TuneOptions) Check(p *booster.Params) error {
	return errors.Join(o.Options.Check(p), checkTune(p), o.checkOwn())
}

// checkOwn returns an error for invalid options that other studies do not have.
func (o *TuneOptions) checkOwn() error {
	switch {
	case o.Trials <= 0 && o.Time <= 0:
		return ErrBudget
	case len(o.Space) > 0:
		return o.checkSpace()
	}
	return nil
}

// checkSpace returns an error for an invalid space, and for a space with parameters that the user has set.
func (o *TuneOptions) checkSpace() error {
	space, err := newSpace(o.Space)
	if err != nil {
		return err
	}
	for _, d := range space {
		switch {
		case slices.Contains(o.Given, d.Name):
			return fmt.Errorf("%s is given a value and is searched too (%v); leave one out", d.Name, d)
		case o.Objective != nil && d.Name == "objective":
			return errors.New("the space has objectives, but all trials have the objective of the caller; " +
				"leave one out")
		}
	}
	return nil
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

// look sets the data on which trials are trained and evaluated.
func (s *search) look(limits rowLimits) error {
	if err := s.separateContext(); err != nil {
		return err
	}
	share := limits.share(s.parts[0].whole.Meta.NumRows())
	if share == 1 {
		return nil
	}
	for i := range s.views {
		s.views[i].few = sampleParts(s.views[i].parts, share, s.o.Seed)
	}
	return nil
}

// checkEffects returns an error for a searched parameter that has no effect with any objective of the space,
// because all its trials would be the same.
func (s *search) checkEffects() error {
	var names []string
	for _, d := range s.space {
		if !d.fixed() {
			names = append(names, d.Name)
		}
	}
	p, choices := s.params, s.space.objectives(&s.params)
	if _, err := p.Table().Apply(s.space.settings(s.space.diagonal(0.5))); err != nil {
		return err
	}
	for _, name := range names {
		if !slices.ContainsFunc(choices, func(o string) bool { return objectiveUses(name, o) }) {
			return fmt.Errorf("%w: %s has no effect with objective=%v; leave it out", ErrSpace, name, choices)
		}
	}
	if slices.Contains(names, "bagging_fraction") && p.BaggingFreq == 0 {
		return fmt.Errorf("%w: bagging_fraction has no effect while bagging_freq=0; add bagging_freq = 1", ErrSpace)
	}
	return nil
}

// objectiveUses reports whether a parameter has an effect with an objective. Parameters that no objective has
// are parameters of trees.
func objectiveUses(name, of string) bool {
	all := objective.DefaultAllParams()
	return objective.Table(&all).Find(name) == nil || objective.Uses(of, name)
}

// close releases the memory of paused training runs.
func (s *search) close() {
	for _, t := range s.trials {
		t.release()
	}
}

// late reports whether the time is used up, so no more training runs may begin.
func (s *search) late() bool { return !s.end.IsZero() && !time.Now().Before(s.end) }

// threads returns the number of trials that are trained concurrently. With few rows, each is trained on one
// thread.
func (s *search) threads() int {
	if s.views[0].few != nil {
		return 1
	}
	return par.Threads(s.params.NumThreads)
}

// trainBase trains the base to the end, and sets the length of a training run.
func (s *search) trainBase() error {
	t := &Trial{params: s.params}
	if t.x = s.space.pointOf(&s.params); s.length == 0 {
		s.length = math.Inf(1)
	}
	s.trials = []*Trial{t}
	if err := s.do(t, trialSteps, s.threads()); err != nil {
		return err
	}
	if t.Err != nil {
		return t.Err
	}
	s.length = float64(max(t.Best, leastRounds)) * s.params.LearningRate
	return nil
}

// draw returns the trials of the next bracket, not yet trained, beginning with those that the caller asks
// for. It returns none when the budget of trials is used up.
func (s *search) draw(bracket int) []*Trial {
	points := s.points(bracket)
	if s.o.Trials > 0 {
		points = points[:max(0, min(len(points), s.o.Trials-(len(s.trials)-1)))]
	}
	for i, t := range points {
		t.Number, t.Bracket = len(s.trials)+i, bracket
		s.prepare(t)
	}
	return points
}

// points returns the trials of a bracket, regardless of the budget.
func (s *search) points(bracket int) (trials []*Trial) {
	if bracket == 1 && len(s.o.First) > 0 {
		for _, settings := range s.o.First {
			x := s.space.nearest(&s.params, settings)
			if !slices.ContainsFunc(trials, func(t *Trial) bool { return slices.Equal(t.x, x) }) {
				trials = append(trials, &Trial{Asked: true, x: x, member: len(trials)})
			}
		}
		return trials
	}
	if s.triesContext(bracket) {
		return s.withContext()
	}
	n, copies := bracketSize, 0
	if s.o.Trials > 0 {
		n = max(0, min(n, s.o.Trials-(len(s.trials)-1)))
	}
	if bracket > 1 {
		copies = (2*n + 1) / 3
	}
	key, good := random.New(s.o.Seed, random.SearchSpace, bracket), s.parents()
	for i := range copies {
		parent := good[min(int(key.Key(drawParent).Float64(i)*float64(len(good))), len(good)-1)]
		trials = append(trials, &Trial{Parent: parent.Number, x: s.space.changed(parent.x,
			key.Key(drawStep+1).Key(i))})
	}
	for _, x := range s.space.spread(key, n-copies) {
		trials = append(trials, &Trial{x: x})
	}
	return trials
}

// parents returns the best trials so far, except those that ended after the first step.
func (s *search) parents() []*Trial {
	good := slices.DeleteFunc(slices.Clone(s.trials), func(t *Trial) bool {
		return t.Step < 2 || t.Err != nil || t.Wide != s.wide
	})
	slices.SortFunc(good, betterTrial)
	return good[:min(bestParents, len(good))]
}

// betterTrial orders trials by their values, the largest first.
func betterTrial(a, b *Trial) int {
	return cmp.Or(-cmp.Compare(a.Value, b.Value), cmp.Compare(a.Number, b.Number))
}

// prepare sets the parameters of a trial.
func (s *search) prepare(t *Trial) {
	t.Settings = s.space.settings(t.x)
	t.params = s.params
	if t.Wide = t.Wide || s.wide; t.Wide {
		t.params.QueryContext = s.kinds
	}
	if _, err := t.params.Table().Apply(t.Settings); err != nil {
		t.Err = err
		return
	}
	if s.isMember(t) {
		t.params = t.params.Member(t.member)
	}
	if s.params.Patience > 0 { // as long as the patience of the base, as a sum of learning rates
		scaled := float64(s.params.Patience) * s.params.LearningRate / t.params.LearningRate
		t.params.Patience = int(math.Round(min(max(scaled, float64(s.params.Patience)/2),
			5*float64(s.params.Patience))))
	}
	if err := s.o.validate(&t.params); err != nil {
		t.Err = err
	}
}

// bracket trains trials by successive halving. Trials that the caller asked for, and the first ones with
// query context, are trained to the end.
func (s *search) bracket(trials []*Trial) error {
	if trials[0].Asked || s.triesContext(trials[0].Bracket) {
		if err := s.step(trials, trialSteps); err != nil {
			return err
		}
		return s.judgeMean(trials)
	}
	alive := slices.Clone(trials)
	for step := 1; step <= trialSteps; step++ {
		if err := s.step(alive, step); err != nil {
			return err
		}
		alive = slices.DeleteFunc(alive, func(t *Trial) bool { return t.Step < step || t.Err != nil })
		slices.SortFunc(alive, betterTrial)
		if len(alive) == 0 {
			break
		}
		alive = alive[:(len(alive)+reduction-1)/reduction]
		for _, t := range trials {
			if !slices.Contains(alive, t) {
				t.release()
			}
		}
	}
	for _, t := range trials {
		t.release()
	}
	return nil
}

// step performs a step of all trials, several at the same time.
func (s *search) step(trials []*Trial, step int) error {
	several := min(s.threads(), len(trials))
	each := max(1, s.threads()/several)
	return atOnce(len(trials), several, func(i int) error {
		if s.late() || trials[i].Err != nil {
			return nil
		}
		return s.do(trials[i], step, each)
	})
}
