package booster

import (
	"errors"
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/objective"
)

// multipliers are those of an augmented Lagrangian, which trains under constraints (Momma et al.,
// multi-objective relevance ranking by constrained optimization). Each constraint has a multiplier m. With g,
// the part of its least value that is missing after a round,
//
//	m = m + stepOfMultipliers·g        after each round
//	w = m + penalty·g                  in the next round
//
// both at least 0 and at most [MostWeight], and the objectives of the constraint's label weigh more by w
// times the weights of all objectives. The paper bounds losses; here the metric itself is bounded.
type multipliers struct {
	labels  []string  // of the constraints
	values  []float64 // m
	weights []float64 // w
}

// MostWeight is the largest weight of a constraint. With it, trees learn little but the constraint's label:
// if the constraint is not met then, it cannot be. A multiplier that went on rising would also take as long
// to fall again.
const MostWeight = 100.0

const (
	stepOfMultipliers = 1.0
	penalty           = 10.0
)

// newMultipliers returns those of the constraints of p; nil if there are none.
func newMultipliers(p *Params) *multipliers {
	all, _ := p.Constraints()
	if all == nil {
		return nil
	}
	m := &multipliers{values: make([]float64, len(all)), weights: make([]float64, len(all))}
	for _, c := range all {
		m.labels = append(m.labels, c.Label)
	}
	return m
}

// Weights implements [training.Constrained].
func (t *trainer) Weights() []float64 { return slices.Clone(t.multipliers.weights) }

// Shortfalls implements [training.Constrained].
func (t *trainer) Shortfalls(parts []float64) {
	m := t.multipliers
	for i, part := range parts {
		m.values[i] = min(max(0, m.values[i]+float64(stepOfMultipliers*part)), MostWeight)
		m.weights[i] = min(max(0, m.values[i]+float64(penalty*part)), MostWeight)
	}
	objective.Emphasize(t.objective, m.labels, m.weights)
}

// fields returns the state of the multipliers, for checkpoints.
func (m *multipliers) fields() []float64 {
	if m == nil {
		return nil
	}
	return slices.Concat(m.values, m.weights)
}

// restoreMultipliers sets the state of the multipliers, and reports whether it fits.
func (t *trainer) restoreMultipliers(fields []float64) bool {
	m := t.multipliers
	if len(fields) != len(m.fields()) {
		return false
	}
	if m != nil {
		n := copy(m.values, fields)
		copy(m.weights, fields[n:])
		objective.Emphasize(t.objective, m.labels, m.weights)
	}
	return true
}

// checkConstrained returns an error for parameters that cannot keep constraints.
func (p *Params) checkConstrained() error {
	switch {
	case p.Constraint == nil:
		return nil
	case p.NumModels > 1:
		return fmt.Errorf("constraint and num_models=%d: the mean of models may miss what each model meets; "+
			"train one model", p.NumModels)
	case p.Boosting == DART:
		return errors.New("constraint and boosting=dart: dart changes earlier trees, so the iteration that meets " +
			"the constraints may be lost; use boosting=gbdt")
	}
	return nil
}

// checkConstraints returns an error for constraints that no weight of an objective can meet. own means that
// the objective is the caller's.
func (p *Params) checkConstraints(m *dataset.Meta, own bool) error {
	all, err := p.Constraints()
	switch {
	case err != nil || all == nil:
		return err
	case own:
		return errors.New("constraint: an objective of your own has no weights that could change; leave " +
			"constraint out")
	}
	first := func(label string) string {
		if label == m.LabelName {
			return ""
		}
		return label
	}
	read := map[string]bool{}
	for _, label := range objective.Labels(p.Objective) {
		read[first(label)] = true
	}
	for _, c := range all {
		if !read[first(c.Label)] || len(read) < 2 {
			return fmt.Errorf("constraint=%v: objective=%s is not a sum that trains on its label and on another one; "+
				"give a sum, such as lambdarank@purchase:1,lambdarank@click:0.1, in which the weights of a label can "+
				"rise", c,
				p.Objective)
		}
	}
	return nil
}
