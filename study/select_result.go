package study

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
)

// SelectResult is the result of a selection, as text, TSV, JSON and a page.
type SelectResult struct {
	document

	Metric string // the decisive metric, such as "ndcg@10"
	Rules  string // its convention in words
	By     string // the measure of importance that decided

	Names    []string      // of all features of the data, by number
	Constant []int         // numbers of the features that have one bin in all rows
	Steps    []*SelectStep // by number; the first has all features that vary
	Chosen   *SelectStep
	Queries  int // validation queries, whether they count or not

	// all features compared with the chosen ones, on the validation queries, which were used for the choice
	Comparison metric.Comparison
	Tested     *metric.Comparison // the same comparison on the queries of Options.Test; nil if there are none
	Test       string             // name of the data in Options.Test
	Budget     int                // number of training runs if the budget ended the selection; 0 if the rule did

	params   booster.Params
	required []int
	queries  []string // ids of the validation queries, in the order of Step.PerQuery
}

// all returns the step with all features.
func (r *SelectResult) all() *SelectStep { return r.Steps[0] }

// Features returns the names of the chosen features, in the order of the data.
func (r *SelectResult) Features() []string { return r.names(r.Chosen.Features) }

// removed returns the names of all other features, in the order of the data.
func (r *SelectResult) removed() []string {
	var names []string
	for f, name := range r.Names {
		if !slices.Contains(r.Chosen.Features, f) {
			names = append(names, name)
		}
	}
	return names
}

func (r *SelectResult) names(features []int) []string {
	names := make([]string, len(features))
	for i, f := range features {
		names[i] = r.Names[f]
	}
	return names
}

// Params returns the parameters of a training run on the chosen features, with the best number of iterations
// and without early stopping. Narrow the data to these features: data.Loaded.Narrow(r.Chosen.Features).
func (r *SelectResult) Params() booster.Params {
	return final(r.params, r.Chosen.Best)
}

// result chooses the set and evaluates it.
func (s *selection) result() (*SelectResult, error) {
	r := &SelectResult{Metric: s.metric.Name(), Rules: s.metric.Convention().String(), By: s.o.By,
		Names: s.data.Meta.Features, Steps: s.steps, Queries: len(s.steps[0].PerQuery),
		params: s.params, required: s.required, queries: validationQueries(s.parts)}
	for f := range r.Names {
		if !slices.Contains(s.all, f) {
			r.Constant = append(r.Constant, f)
		}
	}
	var err error
	if r.Chosen, err = s.choose(); err != nil {
		return nil, err
	}
	if last := s.last(); s.spent() && len(last.Features) > s.least() {
		r.Budget = s.o.Trainings
	}
	r.Comparison, err = metric.Compare(r.all().PerQuery, r.Chosen.PerQuery, s.weights, s.tests)
	if err != nil {
		return nil, fmt.Errorf("comparing the chosen features with all of them: %w", err)
	}
	if s.o.Test != nil {
		r.Test = s.o.Test.Name
		if r.Tested, err = s.test(r.Chosen); err != nil {
			return nil, err
		}
	}
	r.warn(s)
	r.describe()
	return r, nil
}

// last returns the latest accepted step.
func (s *selection) last() *SelectStep {
	last := s.steps[0]
	for _, step := range s.steps {
		if step.Accepted && len(step.Features) < len(last.Features) {
			last = step
		}
	}
	return last
}

// choose returns the smallest accepted set that is as good as the best, or the one with the wanted number of
// features.
func (s *selection) choose() (*SelectStep, error) {
	if last := s.last(); s.o.Number > 0 {
		if len(last.Features) > s.o.Number {
			return nil, fmt.Errorf("%w: after %d training runs there are %d features, and %d are wanted; allow more "+
				"trainings, or larger steps", ErrTooFewTrainings, len(s.steps), len(last.Features), s.o.Number)
		}
		return last, nil
	}
	best := s.best()
	chosen := best
	for _, step := range s.steps {
		if !step.Accepted || len(step.Features) >= len(chosen.Features) {
			continue
		}
		c, err := metric.Compare(best.PerQuery, step.PerQuery, s.weights, s.tests)
		if err != nil {
			return nil, err
		}
		if !s.isWorse(&c) {
			chosen = step
		}
	}
	return chosen, nil
}

// test compares models of all features and of the chosen ones, trained on all training data, on separate
// queries.
func (s *selection) test(chosen *SelectStep) (*metric.Comparison, error) {
	whole := []part{withValidation(s.data, *s.o.Test)}
	all, err := s.testedOn(whole, s.steps[0])
	if err != nil {
		return nil, err
	}
	values := all
	if chosen != s.steps[0] {
		if values, err = s.testedOn(whole, chosen); err != nil {
			return nil, err
		}
	}
	weights, err := validationWeights(whole, s.metric, s.params.NumThreads)
	if err != nil {
		return nil, err
	}
	c, err := metric.Compare(all, values, weights, s.tests)
	return &c, err
}

// testedOn trains on the features of a step and returns the value of each validation query of a part.
func (s *selection) testedOn(part []part, step *SelectStep) ([]float64, error) {
	p := s.params
	p.NumIterations, p.Patience = step.Best, 0
	training, err := s.begin(p, s.narrowed(part, step.Features), nil)
	if err != nil {
		return nil, err
	}
	defer training.close()
	err = training.advance(step.Best)
	var fitted []fittedPart
	if err == nil {
		fitted, err = training.judgeAll(min(step.Best, len(training.curve)))
	}
	if err != nil {
		return nil, fmt.Errorf("judging on %s: %w", s.o.Test.Name, err)
	}
	return fitted[0].Result.PerQuery, nil
}

// warn collects warnings for people.
func (r *SelectResult) warn(s *selection) {
	add := func(format string, args ...any) { r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...)) }
	if r.Chosen == r.all() {
		add("no feature can be left out: every smaller set that was tried is worse than all features")
	}
	if e := r.Comparison.StandardError; e > 0.01 && e > s.o.Tolerance {
		add("%d validation queries are few: differences of %s have a standard error of %.4f, and a set that "+
			"loses as much counts as good; use more queries, or folds", r.Comparison.Queries, r.Metric, e)
	}
	if remark := r.Comparison.Remark(); remark != "" {
		r.Warnings = append(r.Warnings, remark)
	}
	for _, step := range r.Steps {
		if step.Accepted && step.Forced && len(step.Features) >= len(r.Chosen.Features) {
			add("%d features are fewer than the data allow: from step %d on, with %d features, sets are worse than "+
				"the best one", len(r.Chosen.Features), step.Number, len(step.Features))
			break
		}
	}
	if r.Budget > 0 {
		add("the budget of %d training runs ended the selection at %d features; a larger one may leave out more",
			r.Budget, len(s.last().Features))
	}
	if r.Chosen.Best == r.params.NumIterations && r.params.Patience > 0 {
		add("the chosen features have their best iteration at the last one, %d: more may be better; raise "+
			"num_iterations", r.Chosen.Best)
	}
}

// finding states the result in one or two sentences.
func (r *SelectResult) finding() string {
	all, chosen := r.all(), r.Chosen
	text := fmt.Sprintf("All %d features that vary have %s %.4f", len(all.Features), r.Metric, all.Value)
	if chosen == all {
		return text + ", and none can be left out."
	}
	c := r.Comparison
	return text + fmt.Sprintf("; the %d chosen ones have %.4f (%s) on the validation queries, which have "+
		"chosen them.", len(chosen.Features), chosen.Value, differenceText(&c))
}

// testFinding states the result on the queries of Options.Test, or returns "" if there are none.
func (r *SelectResult) testFinding() string {
	if r.Tested == nil {
		return ""
	}
	return fmt.Sprintf("On %s, which influenced no choice, all features have %.4f and the chosen ones "+
		"%.4f (%s, p = %s, %d queries).", r.Test, r.Tested.MeanA, r.Tested.MeanB, differenceText(r.Tested),
		wording.Probability(r.Tested.Randomization.P), r.Tested.Queries)
}

// differenceText describes a difference with its interval.
func differenceText(c *metric.Comparison) string {
	return fmt.Sprintf("%+.4f, 95 %% interval %+.4f to %+.4f", c.Difference, c.Interval.Low, c.Interval.High)
}

// shortList returns names separated by commas, shortened.
func shortList(names []string) string {
	const most = 8
	if len(names) <= most {
		return strings.Join(names, " ")
	}
	return strings.Join(names[:most], " ") + fmt.Sprintf(" and %d more", len(names)-most)
}
