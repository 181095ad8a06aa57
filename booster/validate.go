package booster

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/internal/widened"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/param"
)

// Validate returns everything that is wrong with p, or nil: the name of each parameter, its value and what is
// allowed. obj is the caller's own objective, nil if there is none: the parameters that name and describe a
// built-in one are not used then, and not checked. StopMetric may name one of the caller's own metrics.
func (p *Params) Validate(obj objective.Objective, own ...metric.Metric) error {
	table := p.Table()
	if obj != nil {
		unused := objective.Table(&p.AllParams)
		table = slices.DeleteFunc(table, func(entry param.Parameter) bool {
			return entry.Name == "objective" || unused.Find(entry.Name) != nil
		})
	}
	if obj == nil {
		own = p.judging(own)
	}
	err := rounds.Check(&p.Params, table, p.LabelGain, own...)
	if err == nil && obj == nil {
		err = p.checkObjectives()
	}
	return errors.Join(err, p.checkContext(), p.checkRates(), p.checkConstrained())
}

// Metrics returns the metrics to evaluate: each name of Metric, at each cut-off of EvalAt unless the name
// includes a cut-off; the stop metric, if it is not among them; those of constraints; and the caller's own
// ([Options]). No metric occurs twice. They may be those of the probabilities of documents if the objective
// makes probabilities of scores.
func (p *Params) Metrics(labelGain metric.Gain, own ...metric.Metric) ([]metric.Metric, error) {
	return rounds.Metrics(&p.Params, labelGain, p.judging(own)...)
}

// judging returns the caller's own metrics and those that the objectives of all models make possible. The
// scores of an ensemble stand for what those of its first model do.
func (p *Params) judging(own []metric.Metric) []metric.Metric {
	var probability func(score float64) float64
	var label string
	for i, name := range p.objectives() {
		obj, err := objective.New(name, &p.AllParams)
		of, by := objective.ProbabilityOf(obj)
		switch {
		case err != nil || of == nil || i > 0 && by != label:
			return own
		case i == 0:
			probability, label = of, by
		}
	}
	return slices.Concat(own, metric.DocumentMetrics(label, probability))
}

// checkObjectives returns an error for objectives whose parameters contradict each other, and for
// objectives of models that are not trained.
func (p *Params) checkObjectives() error {
	n := len(p.ModelObjectives)
	switch {
	case n == 1 && p.NumModels == 1:
		return fmt.Errorf("model_objectives=%s has no effect with num_models=1; set objective=%s, or "+
			"num_models=2 or more", p.ModelObjectives[0], p.ModelObjectives[0])
	case n > p.NumModels:
		return fmt.Errorf("model_objectives names %d objectives for num_models=%d; set num_models=%d or more", n,
			p.NumModels, n)
	}
	var errs []error
	for _, name := range p.objectives() {
		_, err := objective.New(name, &p.AllParams)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// checkRates returns an error for learning rates that would have no effect.
func (p *Params) checkRates() error {
	usual := DefaultParams()
	switch {
	case len(p.LearningRates) == 0:
		return nil
	case p.LearningRate != usual.LearningRate:
		return fmt.Errorf("learning_rate=%v and learning_rates: each tree has one rate; leave one of them out",
			p.LearningRate)
	}
	return nil
}

// checkConstrained returns an error for parameters that cannot keep constraints.
func (p *Params) checkConstrained() error {
	switch {
	case p.Constraint == nil:
		return nil
	case p.NumModels > 1:
		return fmt.Errorf("constraint and num_models=%d: the mean of models may miss what each model meets; "+
			"set num_models=1", p.NumModels)
	case p.Boosting == DART:
		return errors.New("constraint and boosting=dart: dart changes earlier trees, so the iteration that meets " +
			"the constraints may be lost; use boosting=gbdt")
	}
	return nil
}

// CheckContext returns the error that [Params.Validate] would return about query context, or nil. Callers
// that load data call it before they do.
func (p *Params) CheckContext() error {
	if err := widened.CheckKinds(p.QueryContext); err != nil {
		return err
	}
	return p.checkContext()
}

func (p *Params) checkContext() error {
	if len(p.QueryContext) > 0 && p.UseMissing && p.ZeroAsMissing {
		return fmt.Errorf("query_context=%s and zero_as_missing=true exclude each other: a context of 0 is a "+
			"value; write missing values as nan, or leave zero_as_missing out",
			strings.Join(p.QueryContext, ","))
	}
	return nil
}
