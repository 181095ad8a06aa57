package study

import (
	"errors"
	"fmt"
	"strings"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/param"
)

// TuneResult is the result of a search, as text, TSV, JSON and a page.
type TuneResult struct {
	document

	Metric string // metric that decides, such as "ndcg@10"
	Rules  string // its convention in words

	Trials []*Trial // by number; the first is the base
	Models []*Trial // models whose mean is the final model; only the base if nothing is better
	Rounds int      // iterations of each of these models

	Queries    int               // validation queries, whether they count or not
	PerQuery   []float64         // value of each validation query for the final model
	Value      float64           // of the final model: the mean of PerQuery
	Comparison metric.Comparison // the base with the final model; meaningless if they are the same
	Tests      int               // number of models from which this one was chosen (package documentation)
	P          float64           // p-value of the difference, times Tests
	// the final model is better than the base by more than chance would explain
	Beats bool

	Context *TuneContext // result of the test of query context; nil if there was none

	Budget string // the budget in words
	OutOf  string // "trials" or "seconds": the limit that ended the search

	space   searchSpace
	given   []param.Setting // TuneOptions.Config
	queries []string        // ids of the validation queries, in the order of PerQuery
}

// base returns the trial that the search began with.
func (r *TuneResult) base() *Trial { return r.Trials[0] }

// isBase reports whether nothing is better than the base.
func (r *TuneResult) isBase() bool { return len(r.Models) == 1 && r.Models[0] == r.base() }

// Params returns the parameters of the final model on all data, without early stopping.
func (r *TuneResult) Params() booster.Params {
	p := final(r.Models[0].params, r.Rounds)
	if len(r.Models) > 1 {
		p.NumModels, p.Objective = len(r.Models), r.base().params.Objective
		for _, t := range r.Models {
			p.ModelObjectives = append(p.ModelObjectives, t.params.Objective)
		}
	}
	return p
}

// kept returns the number of trials with steps that were loaded from [TuneOptions].Keep.
func (r *TuneResult) kept() (n int) {
	for _, t := range r.Trials {
		if t.Kept {
			n++
		}
	}
	return n
}

// result chooses the final model and compares it with the base.
func (s *search) result() (*TuneResult, error) {
	r := &TuneResult{Metric: s.metric.Name(), Rules: s.metric.Convention().String(), space: s.space,
		given:  s.o.Config,
		Trials: s.trials, Queries: len(s.trials[0].PerQuery), P: 1,
		queries: validationQueries(s.views[0].parts)}
	chosen := s.final()
	r.Models, r.Rounds, r.PerQuery, r.Value = chosen.models, chosen.rounds, chosen.perQuery, chosen.value()
	r.Context = s.foundContext()
	r.Budget, r.OutOf = s.budget()
	if !r.isBase() {
		if err := s.compare(r, chosen); err != nil {
			return nil, fmt.Errorf("comparing the final model with the defaults: %w", err)
		}
	}
	r.warn(s)
	r.describe()
	s.tellEnd(r)
	return r, s.failed()
}

// tellEnd reports what an earlier run did, and why query context is not used.
func (s *search) tellEnd(r *TuneResult) {
	if n := r.kept(); n > 0 {
		text := fmt.Sprintf("%d of %d training runs (trials and defaults) were taken, in whole or in part, from %s",
			n, len(r.Trials), s.o.Keep.Folder)
		facts := report.Record{"trials", n, "of", len(r.Trials), "folder", s.o.Keep.Folder}
		s.tell(Event{Kind: "resumed", Level: 1, Text: text, Fields: facts})
	}
	if c := r.Context; c != nil && c.Decided && !c.Taken {
		s.tell(note(c.text()))
	}
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
// competes only with other such models: a mean with none, and a trial of TuneOptions.First, if they have no
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

// budget describes the budget, and returns which part of it ended the search.
func (s *search) budget() (words, outOf string) {
	var parts []string
	outOf = "trials"
	if s.o.Trials > 0 {
		parts = append(parts, fmt.Sprintf("%d trials", s.o.Trials))
	}
	if s.o.Time > 0 {
		parts = append(parts, fmt.Sprintf("%v seconds", s.o.Time.Seconds()))
		if s.o.Trials <= 0 || len(s.trials)-1 < s.o.Trials {
			outOf = "seconds"
		}
	}
	return strings.Join(parts, " and "), outOf
}

// failed returns an error if no trial could be trained.
func (s *search) failed() error {
	var first error
	for _, t := range s.trials[1:] {
		if t.Err == nil {
			return nil
		}
		if first == nil {
			first = t.Err
		}
	}
	if first != nil {
		return errors.Join(errors.New("no trial could be trained; the first failed by this"), first)
	}
	return nil
}

// warn collects warnings for people.
func (r *TuneResult) warn(s *search) {
	add := func(format string, args ...any) { r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...)) }
	switch {
	case len(r.Trials) == 1:
		add("the budget was spent on the defaults: no trial was trained; allow more time")
	case r.isBase():
		add("nothing beats the defaults: the parameters found are the defaults")
	case !r.Beats:
		add("that %s beats the defaults is %s", r.found(), r.verdict())
	}
	if remark := s.single(s.trials[0]).remark(); remark != "" {
		r.Warnings = append(r.Warnings, remark)
	}
	if c := r.Context; c != nil && (c.Taken || !c.Decided) {
		r.Warnings = append(r.Warnings, c.text())
	}
	for _, t := range r.Models {
		if t.Best == t.params.NumIterations {
			add("the last iteration of %s, %d, is the best one: more may be better; raise num_iterations",
				t.name(), t.Best)
		}
		if t.Asked || t == r.base() {
			continue // the search did not find the values of this trial
		}
		for _, d := range t.atTheEdge(r.space) {
			add("the value of %s in %s lies at the end of its range (%s): a wider range may have better ones",
				d.Name, t.name(), d)
		}
	}
	failed := 0
	for _, t := range r.Trials {
		if t.Err != nil {
			failed++
		}
	}
	if failed > 0 {
		add("%d of %d trials could not be trained; trials.tsv has the reasons", failed, len(r.Trials)-1)
	}
	if r.OutOf == "seconds" {
		add("the time was over after %d trials: on another machine, or with other load, there would be others; "+
			"max_trainings gives the same trials everywhere", len(r.Trials)-1)
	}
}

// atTheEdge returns the searched ranges at whose ends the values of the trial are.
func (t *Trial) atTheEdge(s searchSpace) (list []dimension) {
	for i, d := range s {
		if u := t.x[i]; d.Choices == nil && (u < 0.02 || u > 0.98) && !d.natural(u) {
			list = append(list, d)
		}
	}
	return list
}

// natural reports whether the end of a range at u is also the end of the parameter's allowed range, such as 1
// for a share.
func (d *dimension) natural(u float64) bool { return u > 0.5 && d.High == 1 && !d.Integer }
