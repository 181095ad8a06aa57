package tree

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/rowblock"
	"github.com/lambdamart/lambdamart/test/aid"
)

// requireSameBits compares values by their bits, except that all NaNs are equal.
func requireSameBits(t testing.TB, want, got []float64) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		if math.Float64bits(want[i]) != math.Float64bits(got[i]) && !(math.IsNaN(want[i]) && math.IsNaN(got[i])) {
			require.Failf(t, "scores differ", "row %d of %d: want %v, got %v", i, len(want), want[i], got[i])
		}
	}
}

// TestScorerEqualsPlainWalk compares all fast methods of scoring with the plain walk, for models of all
// kinds and for batch sizes around those at which the method changes.
func TestScorerEqualsPlainWalk(t *testing.T) {
	models := map[string]randomModel{
		"numeric":         {trees: 20, maxLeaves: 64, features: 5},
		"missing":         {trees: 20, maxLeaves: 64, features: 5, missing: true},
		"categorical":     {trees: 20, maxLeaves: 64, features: 5, missing: true, categorical: true},
		"average":         {trees: 7, maxLeaves: 30, features: 3, missing: true, average: true},
		"linear":          {trees: 7, maxLeaves: 30, features: 3, missing: true, linear: true},
		"chains":          {trees: 9, maxLeaves: 256, features: 4, missing: true, chains: true},
		"256 leaves":      {trees: 5, maxLeaves: 256, features: 30, missing: true},
		"400 leaves":      {trees: 5, maxLeaves: 400, features: 4, missing: true},
		"2000 leaves":     {trees: 5, maxLeaves: 2000, features: 40, missing: true, categorical: true},
		"many thresholds": {trees: 20, maxLeaves: 200, features: 2, missing: true, dense: true},
		"long chains":     {trees: 5, maxLeaves: 1500, features: 4, missing: true, chains: true},
		"symmetric":       {trees: 20, levels: 6, features: 5, missing: true, categorical: true},
		"deep symmetric":  {trees: 9, levels: 9, features: 5, missing: true},
		"256 symmetric":   {trees: 9, levels: 8, features: 50, missing: true, exact: true, average: true},
		"stumps":          {trees: 30, maxLeaves: 2, features: 2, missing: true},
		"no splits":       {trees: 3, maxLeaves: 1, features: 1},
		"no features":     {trees: 3, maxLeaves: 1, features: 0},
		"no trees":        {features: 2},
		"no trees at all": {average: true},
	}
	sizes := []int{0, 1, 2, 7, 9, 10, 11, 12, 13, 14, 16, 63, 64, 65, 128, 193, 256, 257, 330}
	if testing.Short() {
		sizes = []int{1, 14, 330}
	}
	had := rowblock.HasClusters
	defer func() { rowblock.HasClusters = had }()
	for name, model := range models {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(4) {
				rng := rand.New(rand.NewPCG(seed, 1))
				e := model.make(rng)
				for _, has := range []bool{false, had} {
					rowblock.HasClusters = has
					s, err := Compile(e)
					require.NoError(t, err)
					for _, n := range sizes {
						requireScorer(t, s, e, randomRows(rng, n, model.features), n)
					}
				}
			}
		})
	}
}

// requireScorer compares all methods of scoring rows with the plain walk.
func requireScorer(t testing.TB, s *Scorer, e *Ensemble, rows []float64, n int) {
	t.Helper()
	want, got := make([]float64, n), make([]float64, n)
	require.NoError(t, e.Score(want, rows))
	require.NoError(t, s.Score(got, rows))
	requireSameBits(t, want, got)

	rows32, rounded := make([]float32, len(rows)), make([]float64, len(rows))
	for i, x := range rows {
		rows32[i] = float32(x)
		rounded[i] = float64(rows32[i])
	}
	want32 := make([]float64, n)
	require.NoError(t, e.Score(want32, rounded))
	require.NoError(t, s.Score32(got, rows32))
	requireSameBits(t, want32, got)

	if n > 0 {
		features := e.NumFeatures()
		one := make([]float64, 2)
		require.NoError(t, s.Score(one[:1], rows[:features]))
		require.NoError(t, s.Score32(one[1:], rows32[:features]))
		requireSameBits(t, []float64{want[0], want32[0]}, one)
	}
}

// TestScorerFallsBack checks that the models of TestScorerEqualsPlainWalk reach every method of scoring.
func TestScorerFallsBack(t *testing.T) {
	for _, c := range []struct {
		model               randomModel
		sliced, interleaved bool
	}{
		{randomModel{trees: 3, maxLeaves: maxSlots - 1, features: 2, exact: true}, true, true},
		{randomModel{trees: 3, maxLeaves: maxSlots, features: 2, exact: true}, true, true},
		{randomModel{trees: 3, maxLeaves: maxSlots + 1, features: 2, exact: true}, true, true},
		{randomModel{trees: 3, maxLeaves: 20, features: 2, linear: true}, false, false},
		// 76,500 conditions
		{randomModel{trees: 300, maxLeaves: 256, features: 3, exact: true, dense: true}, true, true},
		{randomModel{trees: 2, maxLeaves: maxMeanLeaves, features: 2, exact: true}, true, true},
		{randomModel{trees: 2, maxLeaves: maxMeanLeaves + 1, features: 2, exact: true}, false, false},
		{randomModel{trees: 60, maxLeaves: 256, features: 2 * maxBytes, exact: true}, true, false},
		{randomModel{trees: 1, maxLeaves: maxRank + 1, features: 1, exact: true, dense: true}, false, false},
		{randomModel{trees: 1, maxLeaves: maxRank + 2, features: 1, exact: true, dense: true}, false, false},
	} {
		rng := rand.New(rand.NewPCG(2, 2))
		e := c.model.make(rng)
		s, err := Compile(e)
		require.NoError(t, err)
		assert.Equal(t, c.sliced, s.bitSliced != nil, c)
		assert.Equal(t, c.interleaved, s.interleaved != nil, c)
		requireScorer(t, s, e, randomRows(rng, 70, c.model.features), 70)
	}
}

func TestCompileRefusesInvalidTrees(t *testing.T) {
	e := randomModel{trees: 2, maxLeaves: 9, features: 2}.make(rand.New(rand.NewPCG(2, 2)))
	e.Trees[1].LeafValue[0] = math.NaN()
	_, err := Compile(e)
	assert.ErrorAs(t, err, new(*InvalidError))
}

func TestScorerChecksShapes(t *testing.T) {
	s, err := Compile(randomModel{trees: 2, maxLeaves: 9, features: 2}.make(rand.New(rand.NewPCG(2, 2))))
	require.NoError(t, err)
	assert.ErrorContains(t, s.Score(make([]float64, 2), make([]float64, 3)), " has length ")
	assert.ErrorContains(t, s.Score32(make([]float64, 2), make([]float32, 6)), " has length ")
	assert.ErrorContains(t, s.Score(make([]float64, 1), nil), " has length ")
}

func TestScorerDoesNotAllocate(t *testing.T) {
	if aid.RaceDetector {
		t.Skip("the race detector makes sync.Pool forget")
	}
	rng := rand.New(rand.NewPCG(3, 3))
	for name, model := range map[string]randomModel{
		"sliced": {trees: 5, maxLeaves: 50, features: 5},
		"linear": {trees: 5, maxLeaves: 50, features: 5, linear: true},
	} {
		s, err := Compile(model.make(rng))
		require.NoError(t, err)
		for _, n := range []int{1, 5, 100, 300} {
			rows, dst := randomRows(rng, n, 5), make([]float64, n)
			allocations := testing.AllocsPerRun(20, func() { _ = s.Score(dst, rows) })
			assert.Zero(t, allocations, "%s, %d rows", name, n)
		}
	}
}

func TestScorerIsConcurrent(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	e := randomModel{trees: 20, maxLeaves: 60, features: 5, missing: true}.make(rng)
	s, err := Compile(e)
	require.NoError(t, err)
	const n = 150
	rows, want := randomRows(rng, n, 5), make([]float64, n)
	require.NoError(t, e.Score(want, rows))
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			got := make([]float64, n-i)
			assert.NoError(t, s.Score(got, rows[:(n-i)*5]))
			assert.Equal(t, want[:n-i], got)
		})
	}
	wait.Wait()
}

// FuzzScorer scores random rows by random models, both of a shape drawn from the input.
func FuzzScorer(f *testing.F) {
	f.Add(uint64(1), uint8(10), uint16(40), uint8(3), uint8(100), uint8(0xff))
	f.Add(uint64(2), uint8(3), uint16(300), uint8(9), uint8(20), uint8(1))
	f.Fuzz(func(t *testing.T, seed uint64, trees uint8, leaves uint16, features, rows, kind uint8) {
		model := randomModel{
			trees: int(trees) % 20, maxLeaves: 1 + int(leaves)%1200, features: 1 + int(features)%40,
			missing: kind&1 != 0, categorical: kind&2 != 0, linear: kind&12 == 12, chains: kind&16 != 0,
			average: kind&32 != 0,
		}
		rng := rand.New(rand.NewPCG(seed, 5))
		e := model.make(rng)
		require.NoError(t, e.Validate())
		s, err := Compile(e)
		require.NoError(t, err)
		requireScorer(t, s, e, randomRows(rng, int(rows), model.features), int(rows))
	})
}
