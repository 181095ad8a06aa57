package study

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/metric"
)

// The test of query context (Options.EarnContext). The data has its columns, but trials begin without them.
// After the first bracket, the models that form the result so far are also trained with query context, and
// the result is compared with the same single model, or the same mean, with query context. This is one
// decision for the whole search, on the same validation queries. If query context is used, all later trials
// and the final model have it.

// contextBracket is the bracket that repeats earlier trials with query context.
const contextBracket = 2

// contextErrors is the number of standard errors by which models must be better with query context.
const contextErrors = 1

// ErrContext is the error for a test of query context although the data has none.
var ErrContext = errors.New("query context is to earn its place, and the data have none: load them with " +
	"query_context")

// TuneContext is the result of a test of query context.
type TuneContext struct {
	Kinds []string // kinds as in the parameter query_context
	// the metric with query context minus the metric without it, for the first models, and its standard error
	Difference, Error float64
	Decided           bool // both kinds of models were trained before the budget ended
	Taken             bool // the final model has it
}

// text describes the result.
func (c *TuneContext) text() string {
	kinds := "query_context=" + strings.Join(c.Kinds, ",")
	if !c.Decided {
		return kinds + " was not compared with none, and is not used: the budget ended before; allow more " +
			"trainings or time"
	}
	text := fmt.Sprintf("%s changes the metric by %+.4f ± %.4f (standard error) on the same validation "+
		"queries", kinds,
		c.Difference, c.Error)
	if c.Taken {
		return text + ": it is used. Such a model scores whole queries only, and most programs that load " +
			"exported models refuse it"
	}
	return text + ": it is not used"
}

// separateContext sets the views of the data with and without the query context that is tested.
func (s *search) separateContext() error {
	s.views = [2]trialView{{parts: s.parts}, {parts: s.parts}}
	if !s.o.EarnContext {
		return nil
	}
	c := s.parts[0].whole.Meta.Context
	if c == nil || len(s.params.QueryContext) == 0 {
		return ErrContext
	}
	s.kinds, s.params.QueryContext, s.params.QueryContextFeatures = s.params.QueryContext, nil, ""
	s.views[0].parts = narrowParts(s.parts, func(feature int) bool { return feature < c.Raw })
	return nil
}

// view returns the data on which a trial is trained and evaluated.
func (s *search) view(t *Trial) *trialView { return &s.views[contextIndex(t.Wide)] }

// contextIndex returns the index of models without or with query context in search.views and search.means.
func contextIndex(wide bool) int {
	if wide {
		return 1
	}
	return 0
}

// triesContext reports whether the trials of a bracket are earlier ones with query context.
func (s *search) triesContext(bracket int) bool { return s.kinds != nil && bracket == contextBracket }

// withContext returns the trials that form the result so far, with query context.
func (s *search) withContext() (trials []*Trial) {
	for _, t := range s.choice().models {
		trials = append(trials, &Trial{Parent: t.Number, Asked: t.Asked, x: slices.Clone(t.x), Wide: true,
			member: t.member})
	}
	return trials
}

// decideContext decides whether to use query context, from the trials that have it.
func (s *search) decideContext(trials []*Trial) {
	s.context = &TuneContext{Kinds: s.kinds}
	if len(trials) < len(s.withContext()) || slices.ContainsFunc(trials,
		func(t *Trial) bool { return t.Step < trialSteps || t.Err != nil }) {
		return
	}
	without := s.final()
	s.wide = true
	s.context.compare(without, s.final())
	s.wide = s.context.Taken
}

// compare records the difference between the models with and without query context, and decides.
func (c *TuneContext) compare(without, with *finalModel) {
	d, err := metric.Differences(without.perQuery, with.perQuery, with.weights)
	if err != nil {
		return
	}
	c.Decided, c.Difference, c.Error = true, d.Mean(), d.StandardError()
	c.Taken = with.isAbove(without, contextErrors)
}

// foundContext returns the result of the test, or nil if there was none.
func (s *search) foundContext() *TuneContext {
	if s.kinds != nil && s.context == nil { // the budget ended before the test
		return &TuneContext{Kinds: s.kinds}
	}
	return s.context
}
