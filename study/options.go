package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/training"
)

// Options are the options that all studies have in common. In the zero value, all are off.
type Options struct {
	Own
	Keep     *Store             // keeps finished work, from which the same study continues; nil: none
	Tests    metric.TestOptions // settings of intervals and comparisons; zero: the defaults
	Log      *slog.Logger       // receives plans, finished runs, remarks and warnings; nil: nothing is logged
	Progress func(Progress)     // receives the steps of the work, one at a time; may be nil
}

// Own is the caller's own objective and metrics, which supplement those that parameters name. The zero value
// has none. A [Store] does not see which function it was, so use a different folder for the results of
// different functions.
type Own struct {
	Objective func() objective.Objective // returns a new objective for each run; nil: parameters name it
	Metrics   []metric.Metric            // the stop metric may be one of them
}

// NewObjective returns an objective for a run, or nil if parameters name it.
func (o *Own) NewObjective() objective.Objective {
	if o.Objective == nil {
		return nil
	}
	return o.Objective()
}

// validate returns the errors of parameters that are used with these functions.
func (o *Own) validate(p *booster.Params) error { return p.Validate(o.NewObjective(), o.Metrics...) }

// begun is a study in progress on parts of one data set.
type begun struct {
	ctx      context.Context
	params   booster.Params
	parts    []part
	tests    metric.TestOptions
	own      Own
	log      *slog.Logger
	progress func(Progress)
	kept     *results
	metric   metric.Metric // the metric that decides
	other    metric.Metric // with which it decides; nil: alone
	share    float64       // of the value of other in the value of an iteration
	weights  []float64     // of the validation queries, in the order of [perQuery]; nil: all are equal
}

// newBegun begins a study, unless its options or parameters are invalid.
func newBegun(ctx context.Context, p booster.Params, d Data, o Options, wrong error) (b begun, err error) {
	b = begun{ctx: ctx, params: p, own: o.Own, log: cmp.Or(o.Log, slog.New(slog.DiscardHandler)),
		progress: oneAtATime(o.Progress)}
	if b.parts, err = d.parts(); err != nil {
		return b, err
	}
	if wrong != nil {
		return b, wrong
	}
	if b.tests, err = o.usedTests(&p); err != nil {
		return b, err
	}
	if b.metric, err = decisiveMetric(&p, o.Metrics...); err != nil {
		return b, err
	}
	_, whole := b.metric.(metric.Whole)
	if _, each := b.metric.(metric.Each); whole && !each {
		return b, fmt.Errorf("%s judges all queries at once, and a study needs the value of each; "+
			"choose another stop_metric", b.metric.Name())
	}
	weights, sums, err := validationWeights(b.parts, b.metric, p.NumThreads)
	b.weights = weights
	for i, sum := range sums {
		b.parts[i].weight = sum
	}
	return b, err
}

// deciding returns the metrics that decide: one, or two.
func (b *begun) deciding() []metric.Metric {
	if b.other == nil {
		return []metric.Metric{b.metric}
	}
	return []metric.Metric{b.metric, b.other}
}

// value returns the value of an iteration, given the means of the first and the last of the metrics that
// decide.
func (b *begun) value(first, last float64) float64 {
	return float64((1-b.share)*first) + float64(b.share*last)
}

// keep opens the store's results for the study. The results depend on the facts, in addition to the
// parameters and parts of the study.
func (b *begun) keep(s *Store, facts ...any) (err error) {
	b.kept, err = s.open(b.log, func(w io.Writer) {
		if len(facts) > 0 {
			fmt.Fprintln(w, facts...)
		}
		fmt.Fprintf(w, "%q\n", rounds.ParameterFacts(b.params.Table()))
		identifyParts(w, b.parts, b.params.NumThreads)
	})
	return err
}

// usedTests returns Tests, or the default ones.
func (o *Options) usedTests(p *booster.Params) (metric.TestOptions, error) {
	tests := o.Tests
	if tests == (metric.TestOptions{}) {
		tests = metric.DefaultTestOptions()
		tests.Workers = p.NumThreads
	}
	return tests, tests.Validate()
}

// ErrDART is wrapped by the errors about boosting=dart in studies that choose an iteration.
var ErrDART = errors.New("boosting=dart changes earlier trees, so the models of earlier iterations, one " +
	"of which may be the best, are lost")

// Check returns an error for invalid options, and for parameters that are valid for training but cannot be
// cross-validated. [CrossValidate] calls it; a caller may do so before it reads any data.
func (o *Options) Check(p *booster.Params) error {
	wrong := o.validate(p)
	if wrong == nil { // which may be about the same metric
		_, wrong = decisiveMetric(p, o.Metrics...)
	}
	_, wrongTests := o.usedTests(p)
	return errors.Join(wrong, check(p), wrongTests)
}

// check returns an error for parameters that are valid for training but not for studies.
func check(p *booster.Params) error {
	switch {
	case p.NumModels > 1:
		return fmt.Errorf("num_models=%d: cross-validation trains one model for each fold, as each model of an "+
			"ensemble has a curve of its own; leave num_models out, and train on all data with num_models=%d and "+
			"the best number of iterations",
			p.NumModels, p.NumModels)
	case p.Constraint != nil:
		return errors.New("constraint: studies choose one number of iterations by one metric; leave " +
			"constraint out, and give it to train")
	case p.AnyMetricStops:
		return errors.New("first_metric_only=false: cross-validation chooses one number of iterations by one " +
			"metric on the held-out queries; leave first_metric_only out, and name the metric in stop_metric")
	case p.Boosting == booster.DART && p.Patience > 0:
		return fmt.Errorf("boosting=dart and patience=%d: %w; leave patience out, so that the model after "+
			"num_iterations is judged, or use boosting=gbdt", p.Patience, ErrDART)
	}
	return nil
}

// Progress is a step of a run or of other work. The embedded Round is zero unless the step finishes a round.
type Progress struct {
	training.Round
	Part  string // name of the run's part, empty if one run is done at a time; or of the other work
	Done  int    // rounds of the runs that are shown together, including those of a checkpoint, or other steps
	Of    int    // the largest number of rounds of these runs, or of other steps
	Steps [2]int // number of queries of the next round that are done, and of all its queries; or zero
}

// oneAtATime returns a listener that several goroutines may call. A nil listener ignores progress.
func oneAtATime(listener func(Progress)) func(Progress) {
	if listener == nil {
		return func(Progress) {}
	}
	var mu sync.Mutex
	return func(p Progress) {
		mu.Lock()
		defer mu.Unlock()
		listener(p)
	}
}

// logPlan reports the number of runs of a study before the first, and how many of them an earlier study has
// done. text is the number in words, and name its name for programs.
func logPlan(log *slog.Logger, name, text string, runs, done int) {
	if done > 0 {
		text += fmt.Sprintf(", %s of them done before", wording.Thousands(done))
	}
	log.Info(text, "event", "plan", name, runs, "done", done)
}
