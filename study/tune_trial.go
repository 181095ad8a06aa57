package study

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
)

// Trial is a setting of the searched parameters with the result of training.
type Trial struct {
	Number   int // from 0, the base
	Bracket  int // from 1; 0 for the base
	Parent   int // number of the trial from which it was copied with changes; 0: none, or the base
	Settings []param.Setting

	Step     int       // number of steps done; with [trialSteps], it was trained to the end
	Rounds   int       // number of iterations done
	Best     int       // the best iteration, from 1, by the smoothed curve
	Value    float64   // of the smoothed curve at Best
	Curve    []float64 // the metric after each iteration
	PerQuery []float64 // value of each validation query after the best iteration, if it was trained to the end
	Seconds  float64   // total training time over all parts
	Err      error     // why it could not be trained; nil if it could
	Kept     bool      // a step was loaded from [TuneOptions].Keep instead of being trained
	Asked    bool      // it is in [TuneOptions].First
	Wide     bool      // it has the query context that is tested

	x        point
	params   booster.Params
	training *jointRun // paused, or ended if a mean needs its models; nil if there is none
	member   int       // number of its model in the mean of the models of First
}

// parameters returns the parameters of a training run with the settings of the trial and its best number of
// iterations, without early stopping.
func (t *Trial) parameters() booster.Params {
	return final(t.params, t.Best)
}

// release releases the memory of a paused run.
func (t *Trial) release() {
	if t.training != nil {
		t.training.close()
		t.training = nil
	}
}

// do performs a step of a trial with this many threads, unless that was done before.
func (s *search) do(t *Trial, step, threads int) error {
	done, err := s.load(t, step)
	if err != nil {
		return err
	}
	if done {
		t.Kept = true
	} else if err := s.train(t, step, threads); err != nil {
		return err
	}
	if t.Err == nil {
		t.Step = step
	}
	if t.Number == 0 && t.Kept {
		s.tell(note("continuing from the trials in " + s.o.Keep.Folder))
	}
	s.tell(trialEvent(t, s.metric.Name()))
	return nil
}

// target returns the number of iterations that a trial has after a step.
func (s *search) target(t *Trial, step int) int {
	rounds := math.Inf(1)
	switch step {
	case 1:
		rounds = s.length / 3 / t.params.LearningRate
	case 2:
		rounds = s.length / t.params.LearningRate
	}
	return int(min(math.Ceil(rounds), float64(t.params.NumIterations)))
}

// train trains a trial up to the end of a step. An error of training is recorded in the trial; only
// cancellation of ctx is returned.
func (s *search) train(t *Trial, step, threads int) error {
	parts := s.view(t).parts
	if s.onFew(step) {
		parts = s.view(t).few
	}
	if t.Err = s.beginTrial(t, parts, threads); t.Err != nil {
		return nil
	}
	err := t.training.advance(s.target(t, step))
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	if err == nil {
		t.see(t.training)
		if step == trialSteps {
			err = s.judge(t)
		}
	}
	t.Err = err
	t.Seconds = t.training.seconds()
	ended := t.training.stopped
	if s.onFew(step) || step == trialSteps && !s.isMember(t) || err != nil {
		t.release()
	}
	return s.save(t, ended, step)
}

// beginTrial prepares the run of a trial on these parts, unless it is paused.
func (s *search) beginTrial(t *Trial, parts []part, threads int) (err error) {
	if t.training == nil {
		p := t.params
		if s.views[0].few == nil {
			p.NumThreads = 1
		}
		if t.training, err = s.begin(p, parts, nil); err != nil {
			return err
		}
	}
	t.training.workers = threads
	return nil
}

// onFew reports whether trials use a part of the training queries in a step.
func (s *search) onFew(step int) bool { return s.views[0].few != nil && step == 1 }

// see records the curve of a training run so far.
func (t *Trial) see(training *jointRun) {
	t.Curve = training.means()
	t.Rounds = len(t.Curve)
	t.choose()
}

// choose chooses the best iteration: the one around which the curve is highest on average, not its peak.
func (t *Trial) choose() { t.Best, t.Value = smooth(t.Curve, t.params.MinDelta) }

// judge records the values of all validation queries, part by part.
func (s *search) judge(t *Trial) error {
	fitted, err := t.training.judgeAll(t.Best)
	if err != nil {
		return err
	}
	t.PerQuery = perQuery(fitted)
	return nil
}

// storedTrial is a trial in a store.
type storedTrial struct {
	Curve    []float64 `json:"curve"`
	Ended    bool      `json:"ended"`             // there are no more iterations
	PerQuery nullable  `json:"queries,omitempty"` // null for a query that does not count
	Seconds  float64   `json:"seconds"`
	Err      string    `json:"error,omitempty"`
}

// entry returns the place of a trial in the store, which depends on whether it uses a part of the queries.
func (s *search) entry(t *Trial, step int) *jobEntry {
	return s.kept.job("trial", s.onFew(step), training.ParameterFacts(t.params.Table()))
}

// load loads the result of a step from an earlier search, and reports whether it is complete.
func (s *search) load(t *Trial, step int) (bool, error) {
	if t.training != nil {
		return false, nil
	}
	var stored storedTrial
	found, err := s.entry(t, step).load(&stored, func() bool {
		return len(stored.Curve) > 0 || stored.Err != ""
	})
	target := s.target(t, step)
	switch {
	case err != nil || !found:
		return false, err
	case stored.Err != "":
		t.Err, t.Seconds = errors.New(stored.Err), stored.Seconds
		return true, nil
	case step == trialSteps && stored.PerQuery == nil, !stored.Ended &&
		len(stored.Curve) < target:
		return false, nil
	}
	t.take(&stored, target, step)
	return true, nil
}

// take sets the trial to its state after a step.
func (t *Trial) take(stored *storedTrial, target, step int) {
	t.Curve = stored.Curve[:min(target, len(stored.Curve))]
	t.Rounds, t.Seconds = len(t.Curve), stored.Seconds
	t.choose()
	if step == trialSteps {
		t.PerQuery = stored.PerQuery
	}
}

// save keeps the results of a trial. One that panicked is tried again.
func (s *search) save(t *Trial, ended bool, step int) error {
	var panicked *training.PanicError
	if errors.As(t.Err, &panicked) {
		return nil
	}
	done := storedTrial{Curve: t.Curve, Ended: ended, PerQuery: t.PerQuery, Seconds: t.Seconds}
	if t.Err != nil {
		done = storedTrial{PerQuery: t.PerQuery, Err: t.Err.Error(), Seconds: t.Seconds}
	}
	return s.entry(t, step).save(done)
}

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
		settings = append(settings, "query_context="+strings.Join(t.parameters().QueryContext, ","))
	}
	text := fmt.Sprintf("trial %d (%s)", t.Number, strings.Join(settings, " "))
	if t.Number == 0 {
		text = "the defaults"
	}
	facts := report.Record{"trial", t.Number, "step", t.Step, "of", trialSteps, "metric", name,
		"value", t.Value, "best_iteration", t.Best, "iterations", t.Rounds, "settings", settings, "kept", t.Kept}
	if t.Err != nil {
		return Event{Kind: "trial", Level: 1, Text: text + ": " + t.failure(),
			Fields: append(facts, "error", t.Err.Error())}
	}
	level := 1
	if t.Step < trialSteps { // trials that are given up would hide the others
		level = 2
	}
	text += fmt.Sprintf(": step %d of %d: %s %.4f after %d of %d iterations", t.Step, trialSteps, name,
		t.Value, t.Best, t.Rounds)
	return Event{Kind: "trial", Level: level, Text: text, Fields: facts}
}
