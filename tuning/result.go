package tuning

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/lambdamart/lambdamart/crossval"
	"github.com/lambdamart/lambdamart/internal/digits"
	"github.com/lambdamart/lambdamart/metric/significance"
)

// Level is the probability below which a difference to the base is called real.
const Level = 0.05

// Result is a finished search.
type Result struct {
	Metric string // that judged, such as "ndcg@10"
	Rules  string // its convention in words

	Space  Space
	Trials []*Trial // by number; the first is the base
	Best   *Trial   // of those that were trained to the end, the base included

	Queries    int                     // validation queries, whether they count or not
	Comparison significance.Comparison // the base, and the best trial; without meaning if the base is best
	P          float64                 // probability of the difference by chance, times the number of trials
	Beats      bool                    // whether the best trial is better than the base by more than chance explains

	Budget   string   // in words
	OutOf    string   // "trials" or "seconds": what ended the search
	Warnings []string // what a person should know

	queries []string // ids of the validation queries, in the order of Trial.PerQuery
}

// Base returns the trial that the search began with.
func (r *Result) Base() *Trial { return r.Trials[0] }

// Kept returns the number of trials of which steps were taken from [Options].Keep: an earlier run trained them.
func (r *Result) Kept() (n int) {
	for _, t := range r.Trials {
		if t.Kept {
			n++
		}
	}
	return n
}

// result chooses the best trial and compares it with the base.
func (s *search) result() (*Result, error) {
	r := &Result{Metric: s.metric.Name(), Rules: s.metric.Convention().String(), Space: s.o.Space, Trials: s.trials, Queries: len(s.trials[0].PerQuery), P: 1, queries: crossval.ValidationQueries(s.parts)}
	ended := slices.DeleteFunc(slices.Clone(s.trials), func(t *Trial) bool { return t.Step < Steps || t.Err != nil })
	slices.SortFunc(ended, better)
	r.Best = ended[0]
	r.Budget, r.OutOf = s.budget()
	if r.Best != r.Base() {
		o := s.o.Tests
		o.Seed = s.o.Seed
		var err error
		if r.Comparison, err = significance.Compare(r.Base().PerQuery, r.Best.PerQuery, o); err != nil {
			return nil, fmt.Errorf("comparing the best trial with the defaults: %w", err)
		}
		r.P = min(1, float64(r.Comparison.Randomization.P*float64(len(s.trials)-1)))
		r.Beats = r.Comparison.Difference > 0 && r.P < Level
	}
	r.warn(s)
	return r, s.failed()
}

// budget returns the budget in words, and which part of it ended the search.
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

// warn collects what a person should know.
func (r *Result) warn(s *search) {
	add := func(format string, args ...any) { r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...)) }
	switch {
	case len(r.Trials) == 1:
		add("the budget was spent on the defaults: no trial was trained; allow more time")
	case r.Best == r.Base():
		add("nothing beats the defaults: they are the best of all that was trained to the end")
	case !r.Beats:
		add("the best trial lies within the noise of the defaults: %s %+.4f on %d queries, p = %s after correction for %d trials; nothing shows that it beats them, and the defaults are as good a choice",
			r.Metric, r.Comparison.Difference, r.Comparison.Queries, digits.Probability(r.P), len(r.Trials)-1)
	}
	if r.Best.Best == r.Best.params.NumIterations {
		add("the best trial has its best iteration at the last one, %d: more may be better; raise num_iterations", r.Best.Best)
	}
	if r.Best != r.Base() {
		for _, d := range r.Best.atTheEdge(r.Space) {
			add("the best value of %s lies at the end of its range (%s): a wider range may have better ones", d.Name, d)
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
		add("the time was over after %d trials: on another machine, or with other load, there would be others; max_trainings gives the same trials everywhere", len(r.Trials)-1)
	}
}

// atTheEdge returns the ranges of which the trial has one of the ends.
func (t *Trial) atTheEdge(s Space) (list []Dimension) {
	for i, d := range s {
		if u := t.x[i]; d.Choices == nil && (u < 0.02 || u > 0.98) && !d.natural(u) {
			list = append(list, d)
		}
	}
	return list
}

// natural reports whether a range ends at u where the parameter does: a share of all.
func (d *Dimension) natural(u float64) bool { return u > 0.5 && d.High == 1 && !d.Integer }

// Iterations returns the number of iterations of all trials, added up over parts.
func (r *Result) Iterations(parts int) (n int) {
	for _, t := range r.Trials {
		n += t.Rounds * parts
	}
	return n
}

// Seconds returns the time of all trainings, added up.
func (r *Result) Seconds() time.Duration {
	sum := 0.0
	for _, t := range r.Trials {
		if !math.IsNaN(t.Seconds) {
			sum += t.Seconds
		}
	}
	return time.Duration(sum * float64(time.Second))
}
