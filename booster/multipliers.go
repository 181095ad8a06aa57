package booster

import (
	"slices"

	"github.com/lambdamart/lambdamart/internal/rounds"
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
	all, _ := rounds.Constraints(&p.Params)
	if all == nil {
		return nil
	}
	m := &multipliers{values: make([]float64, len(all)), weights: make([]float64, len(all))}
	for _, c := range all {
		m.labels = append(m.labels, c.Label)
	}
	return m
}

// fields returns the state of the multipliers, for checkpoints.
func (m *multipliers) fields() []float64 {
	if m == nil {
		return nil
	}
	return slices.Concat(m.values, m.weights)
}

// restore sets the state of the multipliers of an objective, and reports whether it fits.
func (m *multipliers) restore(fields []float64, obj objective.Objective) bool {
	if len(fields) != len(m.fields()) {
		return false
	}
	if m != nil {
		n := copy(m.values, fields)
		copy(m.weights, fields[n:])
		objective.Emphasize(obj, m.labels, m.weights)
	}
	return true
}
