package booster

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lambdamart/lambdamart/dataset"
)

// constrained returns parameters and data of two labels, one of which has a constraint that is near what its
// objective alone reaches. The labels depend on other features and, in one, in opposite ways.
func constrained(t *testing.T) (Params, []Data) {
	t.Helper()
	p := smallParams()
	p.NumIterations, p.Metric, p.EvalAt = 50, []string{"ndcg"}, []int{5}
	p.Objective, p.Constraint = "lambdarank:1,lambdarank@other:0.01", []string{"ndcg@5@other>=0.75"}
	tables := []*table{randomTable(1, 2000), randomTable(2, 1000)}
	data := binned(t, &p, tables...)
	rng := rand.New(rand.NewPCG(3, 0))
	for i := range data {
		values := make([]float64, len(tables[i].values))
		for row, x := range tables[i].values {
			values[row] = math.Round(max(0, min(4, 1.5*x[4]-0.6*x[0]+0.5*rng.NormFloat64())))
		}
		data[i].Meta.More = []dataset.Labels{{Name: "other", Values: values}}
	}
	return p, data
}

// naiveWeight returns the weight of a constraint after rounds with these missing parts of its least value.
func naiveWeight(parts []float64) float64 {
	logarithm, change, missed, e := 0.0, 0.0, 0, 0.0
	for round, part := range parts {
		if round > 0 {
			change = 0.5*change + 0.5*(part-parts[round-1])
		}
		e = math.Max(-1, math.Min(1, (part+0.001+5*change)/0.01))
		if missed++; part+0.001 > 0 {
			e = math.Max(0, e)
		} else {
			missed = 0
		}
		if e == 0 {
			missed = 0
		}
		logarithm += 0.4 * e * (1 + float64(missed)/5)
		logarithm = math.Max(-5, math.Min(math.Log(MostWeight), logarithm))
	}
	return math.Min(MostWeight, math.Exp(logarithm+e))
}

// TestMultipliersAreThoseOfTheNaiveRule: the weights of a training run, and of drawn values around a bound.
func TestMultipliersAreThoseOfTheNaiveRule(t *testing.T) {
	p, data := constrained(t)
	var parts []float64
	for _, round := range trainUntil(t, p, 0, nil, data).rounds {
		bound := round.Bounds[0]
		if round.Number > 1 {
			assert.InEpsilon(t, naiveWeight(parts), bound.Weight, 1e-9)
		}
		parts = append(parts, (bound.Least-bound.Value)/bound.Least)
	}
	rng := rand.New(rand.NewPCG(4, 0))
	m := &multipliers{all: make([]multiplier, 2), weights: make([]float64, 2)}
	var histories [2][]float64
	for range 300 {
		drawn := []float64{0.01 * rng.NormFloat64(), 0.1*rng.Float64() - 0.03}
		m.see(drawn)
		resumed := &multipliers{all: make([]multiplier, 2), weights: make([]float64, 2)}
		assert.True(t, resumed.restore(m.fields(), nil))
		assert.Equal(t, m, resumed)
		m = resumed
		for i, part := range drawn {
			histories[i] = append(histories[i], part)
			assert.InEpsilon(t, naiveWeight(histories[i]), m.weights[i], 1e-9)
		}
	}
}

// naiveWeightAhead is naiveWeight for constraints on training data, in a run of this many rounds.
func naiveWeightAhead(parts []float64, rounds int) float64 {
	logarithm, slope, missed, due := 0.0, 0.0, 0.0, 0.85*float64(rounds)
	for i, part := range parts {
		n := float64(i + 1)
		if i >= 2 {
			share := math.Min(0.5, 4/n)
			slope = (1-share)*slope + share*n*(part-parts[i-1])
		}
		ahead := math.Max(0, math.Min(5, float64(rounds)-n)) / n
		if n < due {
			ahead = math.Max(ahead, 0.9*math.Log(due/n))
		}
		e := math.Max(-1, math.Min(1, (part+0.001+slope*ahead)/0.005))
		if n >= due && part+0.001 > 0 {
			e = math.Max(0, e)
		}
		rate := 1.0
		if missed++; e > 0 {
			rate = 6
		} else {
			missed = 0
		}
		r := math.Min(n, math.Max(1, due-n))
		logarithm += math.Min(0.4, rate/r) * (1 + missed/math.Max(5, 0.3*r)) * e
		logarithm = math.Max(-5, math.Min(math.Log(MostWeight), logarithm))
	}
	return math.Exp(logarithm)
}

// TestMultipliersLookAheadToTheLastRound: as above, for constraints on training data. If training can end
// early, nothing is known of the last round.
func TestMultipliersLookAheadToTheLastRound(t *testing.T) {
	p, data := constrained(t)
	p.IsTrainingMetric, p.ConstraintSet = true, data[0].Name
	for _, patience := range []int{0, 50} {
		p.Patience = patience
		var parts []float64
		for _, round := range trainUntil(t, p, 0, nil, data).rounds {
			bound := round.Bounds[0]
			assert.Equal(t, data[0].Name, bound.Set)
			want := naiveWeight(parts)
			if patience == 0 {
				want = naiveWeightAhead(parts, p.NumIterations)
			}
			if round.Number > 1 {
				assert.InEpsilon(t, want, bound.Weight, 1e-9)
			}
			parts = append(parts, (bound.Least-bound.Value)/bound.Least)
		}
	}
	rng := rand.New(rand.NewPCG(5, 0))
	for _, last := range []int{1, 2, 20, 300} {
		m := &multipliers{all: make([]multiplier, 1), weights: make([]float64, 1), last: last}
		var parts []float64
		for n := range last {
			parts = append(parts, 0.1/float64(n+1)-0.002+0.002*rng.NormFloat64())
			m.see(parts[n:])
			assert.InEpsilon(t, naiveWeightAhead(parts, last), m.weights[0], 1e-9)
		}
	}
}

// TestConstraintsOnTrainingDataCostLittle: the first label has, but for a part, what it has with a fixed
// weight that meets the constraint in the last round. Weights that meet it long before cost more.
func TestConstraintsOnTrainingDataCostLittle(t *testing.T) {
	p, data := constrained(t)
	p.IsTrainingMetric, p.ConstraintSet = true, data[0].Name
	p.Metric, p.NumIterations, p.LearningRate = []string{"ndcg", "ndcg@other"}, 100, 0.2
	for _, weight := range []float64{0.5, 1, 2} {
		fixed := p
		fixed.Constraint, fixed.ConstraintSet = nil, ""
		fixed.Objective = fmt.Sprintf("lambdarank:1,lambdarank@other:%v", weight)
		rounds := trainUntil(t, fixed, 0, nil, data).rounds
		end := rounds[len(rounds)-1].Evaluations
		p.Constraint = []string{fmt.Sprintf("ndcg@5@other>=%.5f", end[1].Result.Mean)}
		got := trainUntil(t, p, 0, nil, data)
		first := 0.0
		for _, round := range got.rounds {
			if round.Bounds[0].Met() {
				first = max(first, round.Evaluations[0].Result.Mean)
			}
		}
		assert.Greater(t, first, end[0].Result.Mean-0.03, weight)
	}
}

// TestConstraintsNearWhatIsPossible: what the label's objective alone reaches is met but for a part, in few
// rounds too. A multiplier that rises by the missing part after each round is too late.
func TestConstraintsNearWhatIsPossible(t *testing.T) {
	p, data := constrained(t)
	for rounds, rate := range map[int]float64{20: 0.3, 50: 0.1} {
		p.NumIterations, p.LearningRate = rounds, rate
		alone := p
		alone.Objective, alone.Metric, alone.Constraint = "lambdarank@other", []string{"ndcg@other"}, nil
		best := 0.0
		for _, round := range trainUntil(t, alone, 0, nil, data).rounds {
			best = max(best, round.Evaluations[0].Result.Mean)
		}
		for _, share := range []float64{0.9, 0.95, 0.98} {
			p.Constraint = []string{fmt.Sprintf("ndcg@5@other>=%.5f", share*best)}
			got := trainUntil(t, p, 0, nil, data)
			b := got.rounds[got.kept-1].Bounds[0]
			assert.True(t, b.Met(), "%d rounds, %v of %v: %v", rounds, share, best, b)
		}
	}
}

// TestConstrainedTrainingGoesOn: the multipliers of constraints are part of the checkpoint.
func TestConstrainedTrainingGoesOn(t *testing.T) {
	p, data := constrained(t)
	p.NumIterations = 25
	p.IsTrainingMetric = true
	for _, set := range []string{"", data[0].Name} {
		p.ConstraintSet = set
		want := trainUntil(t, p, 0, nil, data)
		for _, round := range []int{1, 8, 16} {
			got := resumed(t, p, round, data)
			assert.Equal(t, want.model, got.model)
			assert.Equal(t, want.rounds, got.rounds)
		}
	}
}

// TestWeightsOfConstraintsAreBounded: what cannot be met does not outweigh everything for ever.
func TestWeightsOfConstraintsAreBounded(t *testing.T) {
	m := &multipliers{all: make([]multiplier, 1), weights: make([]float64, 1)}
	for range 1000 {
		m.see([]float64{1})
	}
	assert.Equal(t, []float64{MostWeight}, m.weights)
	for range 20 {
		m.see([]float64{-1})
	}
	assert.Less(t, m.weights[0], 0.1)
	for range 1000 {
		m.see([]float64{-1})
	}
	m.see([]float64{0.1})
	assert.Greater(t, m.weights[0], 0.001, "it rises again at once")
}
