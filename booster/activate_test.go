package booster

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/booster/internal/grow"
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/objective"
)

// heavyTailed returns gradients like LambdaMART's: many small, few large, large ones
// with large Hessians, and some rows without any.
func heavyTailed(rng *rand.Rand, rows int) objective.Gradients {
	g := objective.Gradients{Lambda: make([]float64, rows), Hessian: make([]float64, rows)}
	for row := range rows {
		if row%10 == 0 {
			continue
		}
		size := math.Exp(1.5 * rng.NormFloat64())
		g.Lambda[row] = size * rng.NormFloat64()
		g.Hessian[row] = size * rng.Float64()
	}
	return g
}

// upTo returns 0, 1, ..., n-1.
func upTo(n int) []int32 {
	rows := allRows(n)
	return slices.Collect(rows.each())
}

// everyRow returns the set of the first n rows. If n is odd, the set stores them as an explicit list.
func everyRow(n int) *rowSet {
	rows := allRows(n)
	if n%2 == 1 {
		rows.setList(upTo(n))
	}
	return &rows
}

// activated rounds gradients with a random key that depends on the round.
func activated(t testing.TB, g objective.Gradients, fraction float64, round, workers int) *activation {
	t.Helper()
	pool := par.New(workers)
	defer pool.Close()
	a := &activation{}
	require.NoError(t, a.activate(everyRow(len(g.Lambda)), len(g.Lambda), g, extremesOf(g, 0), fraction,
		random.New(1, random.RoundGradient, round), pool))
	a.blocks, a.offsets = nil, nil // scratch memory, whose size depends on the number of workers
	return a
}

// TestExtremesOfParts checks that the combined extremes of the parts equal the extremes of the whole data,
// wherever it is divided.
func TestExtremesOfParts(t *testing.T) {
	const rows = 40
	g := heavyTailed(rand.New(rand.NewPCG(3, 3)), rows)
	for _, bad := range [][]int{nil, {0}, {17, 30}, {rows - 1}} {
		for _, row := range bad {
			g.Hessian[row] = -1
		}
		want := extremes{slices.Max(g.Lambda), slices.Max(g.Hessian), -1}
		want.gradient = max(want.gradient, -slices.Min(g.Lambda))
		if bad != nil {
			want.bad = int32(bad[0])
		}
		for at := range rows + 1 {
			before := objective.Gradients{Lambda: g.Lambda[:at], Hessian: g.Hessian[:at]}
			after := objective.Gradients{Lambda: g.Lambda[at:], Hessian: g.Hessian[at:]}
			require.Equal(t, want, extremesOf(before, 0).and(extremesOf(after, at)), "%v, %d", bad, at)
		}
		for _, row := range bad {
			g.Hessian[row] = 0
		}
	}
}

// TestSparseGradientsAreUnbiased averages each row's rounded gradient over many
// iterations. By the central limit theorem all means lie within six standard
// errors of the gradient; the variance of a row's rounding is u²·x(1-x).
func TestSparseGradientsAreUnbiased(t *testing.T) {
	const rows, rounds = 300, 4000
	g := heavyTailed(rand.New(rand.NewPCG(1, 1)), rows)
	sums := make([]binsum.Sum, rows)
	active := make([]float64, rows)
	stoodFor := make([]float64, rows)
	var a *activation
	for round := range rounds {
		a = activated(t, g, 0.125, round, 1)
		for place, row := range a.Rows {
			sums[row] = sums[row].Add(binsum.Unpack(a.Packed[place]))
			active[row]++
			stoodFor[row] += float64(a.RowsFor[place])
		}
	}
	check := func(got int64, x, unit float64) {
		fraction := math.Abs(x)/unit - math.Floor(math.Abs(x)/unit)
		deviation := unit * math.Sqrt(fraction*(1-fraction)/rounds)
		assert.InDelta(t, x, float64(got)*unit/rounds, 6*deviation+1e-12)
	}
	for row := range rows {
		check(sums[row].Gradient, g.Lambda[row], a.Gradient.Unit())
		check(sums[row].Hessian, g.Hessian[row], a.Hessian.Unit())
		p := min(1, max(a.Gradient.Units(math.Abs(g.Lambda[row])), a.Hessian.Units(g.Hessian[row])))
		assert.InDelta(t, p, active[row]/rounds, 6*math.Sqrt(p*(1-p)/rounds)+1e-12, "probability to be active")
		if p > 0 {
			assert.InDelta(t, 1, stoodFor[row]/rounds, 6*math.Sqrt((1-p)/p/rounds)+1e-6, "rows that it stands for")
		}
	}
}

// TestManyRowsAreRoundedWithoutBias: if the gradients of all rows are a third of a unit, rounding to nearest
// would give a sum of 0, but the sum of randomly rounded integers has the right expected value.
func TestManyRowsAreRoundedWithoutBias(t *testing.T) {
	const rows = 1 << 16
	g := objective.Gradients{Lambda: make([]float64, rows), Hessian: make([]float64, rows)}
	for row := range rows {
		g.Lambda[row], g.Hessian[row] = -1./3, 1./3
	}
	pool := par.New(2)
	defer pool.Close()
	sum := func(dithered bool) (all binsum.Sum) {
		a := &activation{dithered: dithered}
		a.Scales = grow.Scales{Gradient: exact.ScaleOf(1), Hessian: exact.ScaleOf(1)}
		a.fill(everyRow(rows), g, random.New(1, random.RoundGradient, 0), pool)
		require.Len(t, a.Packed, rows)
		for _, packed := range a.Packed {
			all = all.Add(binsum.Unpack(packed))
		}
		return all
	}
	assert.Equal(t, binsum.Sum{}, sum(false))
	deviation := math.Sqrt(rows * 2. / 9)
	assert.InDelta(t, -rows/3., sum(true).Gradient, 6*deviation)
	assert.InDelta(t, rows/3., sum(true).Hessian, 6*deviation)
}

// TestPackedSumsFit sums all rows, as many as a leaf may hold, and compares the packed integer sums with the
// exact ones.
func TestPackedSumsFit(t *testing.T) {
	const packedRows = 1 << 16
	g := heavyTailed(rand.New(rand.NewPCG(4, 4)), packedRows)
	for row := range g.Lambda {
		g.Lambda[row] = math.Abs(g.Lambda[row]) // the worst case: nothing cancels
	}
	a := activated(t, g, 1, 0, 1)
	require.Len(t, a.Packed, packedRows)
	sum, _ := a.Total(a.part, par.New(1))
	var gradient, hessian float64
	packed := int64(0)
	for row, rounded := range a.Packed {
		gradient += g.Lambda[row]
		hessian += g.Hessian[row]
		packed += rounded
	}
	assert.Equal(t, sum, binsum.Unpack(packed))
	assert.InEpsilon(t, gradient, a.Gradient.Float(sum.Gradient), 1e-6)
	assert.InEpsilon(t, hessian, a.Hessian.Float(sum.Hessian), 1e-6)
	assert.Less(t, sum.Gradient, int64(1)<<31)
	assert.Less(t, sum.Hessian, int64(1)<<32)
}

func TestActivationIsTheSameForAllWorkers(t *testing.T) {
	for _, rows := range []int{1, grow.RowBlock, 3*grow.RowBlock + 7, 1 << 17} {
		g := heavyTailed(rand.New(rand.NewPCG(5, 5)), rows)
		for _, fraction := range []float64{0.1, 1} {
			want := activated(t, g, fraction, 3, 1)
			for _, workers := range []int{2, 7} {
				require.Equal(t, want, activated(t, g, fraction, 3, workers))
			}
		}
	}
}

func TestActiveFraction(t *testing.T) {
	p := DefaultParams()
	assert.Equal(t, 1.0, p.lowestShare(1000))
	assert.Equal(t, 1.0, p.lowestShare(controlledRows))
	assert.Equal(t, 0.05, p.lowestShare(80_000))
	assert.Equal(t, autoFraction, p.lowestShare(1_000_000))
	fast, falling, leaves := p, p, p
	fast.LearningRate, falling.LearningRates, leaves.NumLeaves = 0.3, []float64{0.2, 0.05}, 400
	assert.InDelta(t, 0.09375, fast.lowestShare(1_000_000), 1e-9, "large steps")
	assert.InDelta(t, 0.0625, falling.lowestShare(1_000_000), 1e-9, "large first steps")
	assert.Equal(t, 1.0, leaves.lowestShare(50_000), "no sample of so many rows saves time")
	for _, change := range []func(p *Params){
		func(p *Params) { p.Boosting = DART },
		func(p *Params) { p.FeatureFraction = 0.5 },
		func(p *Params) { p.FeatureFractionByNode = 0.5 },
	} {
		other := p
		change(&other)
		assert.Equal(t, 1.0, other.lowestShare(1_000_000), "rounds cannot be compared")
	}
	p.ActiveFraction = 0.3
	assert.Equal(t, 0.3, p.lowestShare(10))
	require.NoError(t, set(&p, "active_fraction", "0.25"))
	assert.Equal(t, 0.25, p.ActiveFraction)
	require.NoError(t, set(&p, "active_fraction", "auto"))
	assert.Equal(t, AutoActive, p.ActiveFraction)
	for _, bad := range []string{"0", "-1", "1.5", "NaN", "some"} {
		assert.Error(t, set(&p, "active_fraction", bad))
	}
}

func TestActiveRemark(t *testing.T) {
	p := DefaultParams()
	of := func(rows int) string { return p.ActiveRemark(rows, rows/10) }
	assert.Empty(t, of(40_000))
	assert.Contains(t, of(80_000), "down to 1 row of 20 where")
	assert.Contains(t, of(1_000_000), "trees grow on every row, or on fewer")
	assert.Empty(t, p.ActiveRemark(1_000_000, controlledQueries-1), "too few queries to judge")
	help := p.Table().Find("active_fraction").Help
	assert.Contains(t, help, fmt.Sprintf("Above %s rows, auto", wording.Thousands(controlledRows)))
	assert.Contains(t, help, fmt.Sprintf("every row with fewer than %d queries", controlledQueries))
	p.BaggingFraction, p.BaggingFreq = 0.25, 1
	assert.Empty(t, of(160_000))
	p = DefaultParams()
	p.ActiveFraction = 1
	assert.Empty(t, of(1_000_000))
}
