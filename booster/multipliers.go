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
	rounds  int       // that were seen, if there is a last one
	last    int       // round by which constraints are to be met; 0: as soon as possible
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
	change float64 // d; with a last round, b
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

// Chosen in the same way, for constraints on training data.
const (
	dueShare         = 0.85  // of the rounds, after which constraints are due
	trust            = 0.9   // share of the expected rise that is counted on
	fullGapAtLast    = 0.005 // of the least value
	upRate, downRate = 6.0, 1.0
	window           = 4.0 // slopes are means over about the latest fourth of the rounds
	patienceShare    = 0.3 // of the rounds that are left, or were seen
)

// newMultipliers returns those of the constraints of p; nil if there are none. trainedOn is the name of the
// training data.
func newMultipliers(p *Params, trainedOn string) *multipliers {
	all, _ := rounds.Constraints(&p.Params)
	if all == nil {
		return nil
	}
	m := &multipliers{all: make([]multiplier, len(all)), weights: make([]float64, len(all))}
	for _, c := range all {
		m.labels = append(m.labels, c.Label)
	}
	if p.IsTrainingMetric && p.ConstraintSet == trainedOn && !p.StopsEarly() {
		m.last = p.NumIterations
	}
	return m
}

// see changes the multipliers after a round, given the missing parts of the constraints' least values.
func (m *multipliers) see(parts []float64) {
	if m.last > 0 {
		m.rounds++
	}
	for i, part := range parts {
		if m.last > 0 {
			m.all[i].seeAhead(part, float64(m.rounds), float64(m.last))
		} else {
			m.all[i].see(part)
		}
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

// seeAhead changes a multiplier after round n of a run whose last round is known. On training data, metrics
// rise to the end, about as the logarithm of n: a weight that met the constraint in young models would be far
// too large later. So what counts is the part that will be missing in round due = dueShare·last. With b, the
// slope of g by ln n, and r, the smaller of n and the rounds until due,
//
//	e = (g + margin + trust·b·ln(due/n)) / fullGapAtLast               from -1 to 1
//	m = m·exp(e·(upRate or downRate)/r·(1 + missed/(patienceShare·r)))     the weight in the next round
//
// Once the constraint is due, e looks no more than foresight rounds ahead, and is not below 0 if g + margin
// is above 0.
func (m *multiplier) seeAhead(part, n, last float64) {
	part += margin
	if n > 2 { // before that, the weight itself is what has changed
		m.change += float64(min(newest, window/n) * (float64(n*(part-m.part)) - m.change))
	}
	m.part = part
	due := float64(dueShare * last)
	ahead := max(0, min(foresight, last-n)) / n
	if n < due {
		ahead = max(ahead, float64(trust*exact.Ln(due/n)))
	}
	e := min(1, max(-1, (part+float64(m.change*ahead))/fullGapAtLast))
	if part > 0 && n >= due {
		e = max(0, e)
	}
	m.stepAhead(e, min(n, max(1, due-n)))
	m.weight = min(MostWeight, exact.Exp(m.log))
}

// stepAhead multiplies the multiplier, given e and r.
func (m *multiplier) stepAhead(e, r float64) {
	rate := upRate
	if m.missed++; e <= 0 {
		rate, m.missed = downRate, 0
	}
	step := float64(min(stepOfMultipliers, rate/r) * (1 + m.missed/max(patience, float64(patienceShare*r))))
	m.log = min(mostLog, max(leastLog, m.log+float64(step*e)))
}

// fields returns the state of the multipliers, for checkpoints. The number of rounds comes last, if there is
// a last one: it tells states of the two rules apart.
func (m *multipliers) fields() (fields []float64) {
	if m == nil {
		return nil
	}
	for _, one := range m.all {
		fields = append(fields, one.log, one.part, one.change, one.missed, one.weight)
	}
	if m.last > 0 {
		fields = append(fields, float64(m.rounds))
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
	if m.last > 0 {
		end := len(fields) - 1
		if m.rounds, fields = int(fields[end]), fields[:end]; m.rounds < 1 {
			return false
		}
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
