package booster

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/tree"
)

var nan = math.NaN()

// withNaN returns the table with the given share of NaN in features 0 to 3, and none in feature 4.
func withNaN(s *table, seed uint64, share float64) *table {
	rng := rand.New(rand.NewPCG(seed, 1))
	for _, x := range s.values {
		for f := range 4 {
			if rng.Float64() < share {
				x[f] = nan
			}
		}
	}
	return s
}

// missingKinds are the ways to treat missing values.
var missingKinds = map[string]func(*Params){
	"NaN":  func(*Params) {},
	"zero": func(p *Params) { p.ZeroAsMissing = true },
	"none": func(p *Params) { p.UseMissing = false },

	"NaN, many bins":  func(p *Params) { p.MaxBin, p.MinDataInBin = 1000, 1 },
	"zero, many bins": func(p *Params) { p.ZeroAsMissing, p.MaxBin, p.MinDataInBin = true, 1000, 1 },
}

// fitTo grows one tree on the squared loss around score 0. It returns the tree and the leaf of each row.
// Leaves are renumbered in the order in which rows meet them, because equivalent trees may number them
// differently.
func fitTo(t *testing.T, values [][]float64, target []float64, change func(*Params)) (tree.Tree, []int32) {
	t.Helper()
	o := &given{}
	for _, y := range target {
		o.lambda, o.hessian = append(o.lambda, -y), append(o.hessian, 1)
	}
	p := smallParams()
	p.NumIterations, p.NumLeaves, p.LearningRate, p.MinDataInBin = 1, 31, 1, 1
	change(&p)
	data := binned(t, &p, newTable(values, make([]float64, len(values)), len(values)))
	r, err := Train(t.Context(), p, data[0], nil, Options{Objective: o})
	require.NoError(t, err)
	leaves, numbers := make([]int32, len(values)), map[int]int32{}
	for i, x := range values {
		leaf := r.Model.Trees[0].Leaf(x)
		if _, met := numbers[leaf]; !met {
			numbers[leaf] = int32(len(numbers))
		}
		leaves[i] = numbers[leaf]
	}
	return r.Model.Trees[0], leaves
}

// TestKnownTreeWithMissingIsRecovered: rows with a missing value are a group of their own, or behave like
// small values, or like large ones.
func TestKnownTreeWithMissingIsRecovered(t *testing.T) {
	inf := math.Inf(1)
	for name, c := range map[string]struct {
		target    map[bool]float64 // by whether the value is above 2; for missing values, see below
		missing   float64
		decision  tree.Decision
		threshold float64
		leaves    int
	}{
		"like the large ones": {map[bool]float64{true: 2, false: -1}, 2, tree.MissingNaN, math.Nextafter(2.5, inf),
			2},
		"like the small ones": {map[bool]float64{true: 2, false: -1}, -1, tree.MissingNaN | tree.DefaultLeft,
			math.Nextafter(2.5, inf), 2},
		"unlike all others": {map[bool]float64{true: 2, false: 2}, -4, tree.MissingNaN, inf, 2},
		"a third kind":      {map[bool]float64{true: 2, false: 1}, -9, tree.MissingNaN, inf, 3},
	} {
		var values [][]float64
		var target []float64
		for i := range 300 {
			x, y := float64(i%6), 0.0
			if y = c.target[x > 2]; i%5 == 0 {
				x, y = nan, c.missing
			}
			values, target = append(values, []float64{x}), append(target, y)
		}
		fitted, _ := fitTo(t, values, target, func(p *Params) { p.MinGainToSplit = 1e-6 }) // above rounding errors
		assert.Equal(t, c.leaves, fitted.NumLeaves(), name)
		assert.Equal(t, c.decision, fitted.Decision[0], name)
		assert.Equal(t, c.threshold, fitted.Threshold[0], name)
		for i, x := range values {
			assert.InDelta(t, target[i], fitted.Score(x), 1e-9, name)
		}
	}
}

// TestZerosAreMissingAsNaNIs: zeros that count as missing separate rows as NaN in their place would, if no
// value is negative. (Between negative and positive values, no threshold can separate the missing zeros.)
func TestZerosAreMissingAsNaNIs(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 19))
	var zeros, nans [][]float64
	var target []float64
	for range 3000 {
		x := []float64{float64(rng.IntN(21)), float64(rng.IntN(12)), rng.ExpFloat64()}
		target = append(target, math.Sin(x[0]/3)+0.3*math.Abs(x[1]-6)*x[2]+rng.NormFloat64())
		zeros, nans = append(zeros, x), append(nans, slices.Clone(x))
		for f, v := range x {
			if v == 0 {
				nans[len(nans)-1][f] = nan
			}
		}
	}
	ofZeros, want := fitTo(t, zeros, target, func(p *Params) { p.ZeroAsMissing = true })
	ofNaNs, got := fitTo(t, nans, target, func(p *Params) {})
	assert.True(t, slices.Equal(want, got))
	both := map[tree.Decision]bool{}
	for i, d := range ofZeros.Decision {
		assert.Equal(t, d&tree.DefaultLeft, ofNaNs.Decision[i]&tree.DefaultLeft)
		both[d] = true
	}
	assert.True(t, both[tree.MissingZero] && both[tree.MissingZero|tree.DefaultLeft])
}
