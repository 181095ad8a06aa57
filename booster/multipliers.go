package booster

import (
	"slices"

	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/objective"
)

// multipliers are those of an augmented Lagrangian, which trains under constraints (Momma et al.,
// multi-objective relevance ranking, 2019). The paper bounds losses and adds to multipliers; here the metrics
// themselves are bounded, and multipliers are multiplied (Tseng and Bertsekas, on the convergence of the
// exponential multiplier method), because the weights that meet constraints differ by orders of magnitude.
// The objectives of a constraint's label weigh more by the constraint's weight times the weights of all
// objectives.
type multipliers struct {
	labels  []string // of the constraints
	all     []multiplier
	weights []float64 // of the constraints
}

// multiplier is that of a constraint. With g, the part of the least value that is missing after a round, and
// the mean d of its latest changes,
//
//	e = (g + margin + foresight·d) / fullGap           from -1 to 1, and not below 0 if g + margin is above 0
//	m = m·exp(e·stepOfMultipliers·(1 + n/patience))    after each round
//	w = m·exp(e)                                       in the next round
//
// and w is at most [MostWeight]. n is the number of rounds in a row in which the constraint was missed and
// e above 0. Young models miss all constraints; because of d, the weight stops rising while they learn fast
// enough, and where they do not, the step grows. It does not fall before the constraint is met, or labels
// that conflict much would be learned in turns.
type multiplier struct {
	log    float64 // ln m
	part   float64 // g + margin in the latest round
	change float64 // d
	missed float64 // n
	weight float64 // w; 0 before the second round
}

// MostWeight is the largest weight of a constraint. With it, trees learn little but the constraint's label:
// if the constraint is not met then, it cannot be. A multiplier that went on rising would also take as long
// to fall again.
const MostWeight = 100.0

// Chosen on draws of bench/quality/constraints.py that are not those of its table.
const (
	stepOfMultipliers = 0.4
	patience          = 5.0
	foresight         = 5.0   // rounds
	fullGap           = 0.01  // of the least value
	margin            = 0.001 // the same: it is aimed at a little more, because values vary by round
	newest            = 0.5   // share of the latest change in the mean
	leastLog          = -5.0  // of a multiplier
)

// mostLog is the largest logarithm of a multiplier.
var mostLog = exact.Ln(MostWeight)

// newMultipliers returns those of the constraints of p; nil if there are none.
func newMultipliers(p *Params) *multipliers {
	all, _ := rounds.Constraints(&p.Params)
	if all == nil {
		return nil
	}
	m := &multipliers{all: make([]multiplier, len(all)), weights: make([]float64, len(all))}
	for _, c := range all {
		m.labels = append(m.labels, c.Label)
	}
	return m
}

// see changes the multipliers after a round, given the missing parts of the constraints' least values.
func (m *multipliers) see(parts []float64) {
	for i, part := range parts {
		m.all[i].see(part)
		m.weights[i] = m.all[i].weight
	}
}

func (m *multiplier) see(part float64) {
	part += margin
	if m.weight > 0 { // not the first round
		m.change += float64(newest * (part - m.part - m.change))
	}
	m.part = part
	e := min(1, max(-1, (part+float64(foresight*m.change))/fullGap))
	if part > 0 {
		e = max(0, e)
	}
	if m.missed++; part <= 0 || e <= 0 {
		m.missed = 0
	}
	step := float64(stepOfMultipliers * (1 + m.missed/patience))
	m.log = min(mostLog, max(leastLog, m.log+float64(step*e)))
	m.weight = min(MostWeight, exact.Exp(m.log+e))
}

// fields returns the state of the multipliers, for checkpoints.
func (m *multipliers) fields() (fields []float64) {
	if m == nil {
		return nil
	}
	for _, one := range m.all {
		fields = append(fields, one.log, one.part, one.change, one.missed, one.weight)
	}
	return fields
}

// restore sets the state of the multipliers of an objective, and reports whether it fits.
func (m *multipliers) restore(fields []float64, obj objective.Objective) bool {
	if len(fields) != len(m.fields()) {
		return false
	}
	if m == nil {
		return true
	}
	i := 0
	for f := range slices.Chunk(fields, len(fields)/len(m.all)) {
		m.all[i] = multiplier{log: f[0], part: f[1], change: f[2], missed: f[3], weight: f[4]}
		m.weights[i] = f[4]
		i++
	}
	objective.Emphasize(obj, m.labels, m.weights)
	return true
}
