package rounds

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
)

// Constraint is a value that a metric must reach, such as "ndcg@10@click>=0.42". In
// "ndcg@10@click>=0.99*old.txt" it is a share of what the model in a file has.
type Constraint struct {
	Metric string // as its method Name returns it
	Label  string // that the metric judges; empty: the first
	Least  float64
	Model  string // path of the model whose value Least is a share of; empty: none
}

// parseConstraint reads a constraint.
func parseConstraint(text string) (c Constraint, err error) {
	name, bound, found := strings.Cut(text, ">=")
	number, model, relative := strings.Cut(bound, "*")
	c.Least, err = strconv.ParseFloat(number, 64)
	if !found || err != nil || !(c.Least > 0 && c.Least <= math.MaxFloat64) || relative && model == "" {
		return c, fmt.Errorf("constraint=%s: want the least value of a metric, as in ndcg@10@click>=0.42, or a "+
			"share of what a model has, as in ndcg@10@click>=0.99*old.txt", text)
	}
	m, err := metric.Parse(name, metric.Default())
	if err != nil {
		return c, fmt.Errorf("constraint=%s: %w", text, err)
	}
	c.Metric, c.Label, c.Model = m.Name(), metric.LabelOf(m), model
	if values := metric.ValuesOf(m); values != nil && c.Least > values.High && model == "" {
		return c, fmt.Errorf("constraint=%v: %s is at most %v, so no model can have more; ask for less", c,
			c.Metric, values.High)
	}
	return c, nil
}

// String returns the constraint as it is given.
func (c Constraint) String() string {
	text := c.Metric + ">=" + strconv.FormatFloat(c.Least, 'g', -1, 64)
	if c.Model != "" {
		text += "*" + c.Model
	}
	return text
}

// ErrNoConstraintSet means that there are constraints, and no set on which they could hold.
var ErrNoConstraintSet = errors.New(
	"constraint needs validation data: give valid=FILE, or constraint_set=training " +
		"with is_provide_training_metric=true")

// Constraints returns the constraints of p. Only the first error is returned.
func Constraints(p *training.Params) (all []Constraint, err error) {
	for _, text := range p.Constraint {
		c, err := parseConstraint(text)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(all, func(o Constraint) bool { return o.Metric == c.Metric }) {
			return nil, fmt.Errorf("constraint=%s: there is another one of %s; give one", text, c.Metric)
		}
		all = append(all, c)
	}
	return all, nil
}

// constraintRows returns the rows of the parameters of constraints.
func constraintRows(p *training.Params) param.Table {
	return param.Table{
		{Name: "constraint", Aliases: []string{"constraints"}, Group: GroupTraining,
			Help: "Least values of metrics, such as ndcg@10@click>=0.42, or a share of what a model has, " +
				"ndcg@10@click>=0.99*old.txt. The label's objectives weigh more while the metric falls short.",
			Value: bind.Texts(&p.Constraint)},
		{Name: "constraint_set", Group: GroupTraining,
			Help: "The set on which constraints hold, such as valid_2, or training with is_provide_training_metric. " +
				"Empty is valid_1.",
			Value: bind.Text(&p.ConstraintSet)},
	}
}

// constrained is a [Learner] that weighs objectives by constraints.
type constrained interface {
	// Weights returns the weight of each constraint in the latest round.
	Weights() []float64

	// Shortfalls is called after each round with the part of each constraint's least value that is missing,
	// which is negative if the value is larger.
	Shortfalls(parts []float64)
}

// bounds are the constraints of a run, on one of its sets.
type bounds struct {
	all    []Constraint
	places []int // of their metrics among all evaluations
	set    string
}

// bindConstraints finds the set and the metrics of the constraints. Validation sets begin at e.sets[first].
func (e *Evaluator) bindConstraints(first int) error {
	all, err := Constraints(e.params)
	if err != nil || len(all) == 0 {
		return err
	}
	at := first
	if len(e.sets) == 0 {
		return ErrNoConstraintSet
	}
	if name := e.params.ConstraintSet; name != "" {
		at = slices.IndexFunc(e.sets, func(s set) bool { return s.name == name })
		if at < 0 {
			return fmt.Errorf("constraint_set=%s: no such set is evaluated; there are: %s "+
				"(is_provide_training_metric=true adds training)", name, names(e.sets))
		}
	}
	if at == len(e.sets) {
		return ErrNoConstraintSet
	}
	e.bounds.all, e.bounds.set, e.every = all, e.sets[at].name, true
	for _, c := range all {
		if c.Model != "" {
			return fmt.Errorf("constraint=%v: the command train evaluates models; give a number", c)
		}
		place := slices.IndexFunc(e.metrics, func(m metric.Metric) bool { return m.Name() == c.Metric })
		e.bounds.places = append(e.bounds.places, at*len(e.metrics)+place)
	}
	if !e.Watches() { // of iterations that meet all constraints, the best one is kept
		e.watch(at, 0)
	}
	return nil
}

// check returns an error for a constraint whose metric no query has.
func (b *bounds) check(evaluations []training.Evaluation) error {
	for i, c := range b.all {
		if math.IsNaN(evaluations[b.places[i]].Result.Mean) {
			return fmt.Errorf("constraint=%v: %s has no value on %s, since none of its queries counts; "+
				"give another constraint_set", c, c.Metric, b.set)
		}
	}
	return nil
}

// shortfalls returns the missing parts of the constraints' least values, and the sum of those that are
// missing.
func (b *bounds) shortfalls(mean func(place int) float64) (parts []float64, sum float64) {
	for i, c := range b.all {
		parts = append(parts, (c.Least-mean(b.places[i]))/c.Least)
		sum += max(0, parts[i])
	}
	return parts, sum
}

// after returns the constraints after a round, given the weights in it.
func (b *bounds) after(mean func(place int) float64, weights []float64) (after []training.Bound) {
	for i, c := range b.all {
		after = append(after, training.Bound{Constraint: c.String(), Set: b.set, Least: c.Least,
			Value: mean(b.places[i]), Weight: weights[i]})
	}
	return after
}
