package grow

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/histogram"
)

// TestSpreadRowsGrowTheSameTree grows trees on copies of the active rows, and on the same rows where they
// are: samples and bags, some rows of which are idle, by all orders, on columns of bytes and sparse ones. All
// rows end in the leaves to which the tree sends them.
func TestSpreadRowsGrowTheSameTree(t *testing.T) {
	orders := map[string]func(*Settings){
		"best": func(*Settings) {}, "depth": func(s *Settings) { s.Policy = ByDepth },
		"level": func(s *Settings) { s.Policy = ByLevel },
		"monotone": func(s *Settings) {
			s.Monotone = Monotone{Directions: []int8{1, -1, 0, 1, 1}, Intermediate: true}
		},
	}
	values := randomValues(21, 2500, 0.2)
	bytes := binsOf(t, usualBins(), values)[0]
	for name, change := range orders {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(21, 1))
			s := usualSettings()
			change(&s)
			for _, m := range []*histogram.Matrix{bytes, sparseOf(t, bytes, values)[0]} {
				for _, share := range []float64{0.1, 0.6, 0.95} {
					requireSameBySpread(t, s, m, sampleOf(rng, values, share))
					requireSameBySpread(t, s, m, bagOf(rng, values, share))
				}
			}
		})
	}
}

// sampleOf returns active rows that are drawn by their gradients.
func sampleOf(rng *rand.Rand, values [][]float64, share float64) *Active {
	lambda, hessian := make([]float64, len(values)), make([]float64, len(values))
	for r, x := range values {
		lambda[r], hessian[r] = rng.NormFloat64()-x[4], 0.1+rng.Float64()
	}
	return activeOf(rng, lambda, hessian, share)
}

// bagOf returns active rows that are drawn with equal probabilities. A third of them are idle.
func bagOf(rng *rand.Rand, values [][]float64, share float64) *Active {
	all := sampleOf(rng, values, 1)
	rows, packed := all.Rows, all.Packed
	all.ActiveRows = ActiveRows{}
	for _, row := range rows {
		if rng.Float64() >= share {
			continue
		}
		if all.Rows = append(all.Rows, row); rng.IntN(3) == 0 {
			packed[row] = 0
		}
		all.Packed = append(all.Packed, packed[row])
	}
	return all
}

func requireSameBySpread(t *testing.T, s Settings, m *histogram.Matrix, a *Active) {
	t.Helper()
	pool := oneWorker(t)
	columns := make([]int32, len(m.Columns))
	for c := range columns {
		columns[c] = int32(c)
	}
	copies, whole := New(s, m, withPlanes(m, pool), nil, pool), New(s, m, withPlanes(m, pool), nil, pool)
	copies.Grow(a, binsum.Of(m).Gather(nil, a.Rows, pool), columns, 1)
	want := slices.Clone(copies.LeavesOf(m))
	require.NotEmpty(t, copies.Nodes)
	spread := *a
	spread.SpreadOver(m.NumRows())
	whole.Grow(&spread, withPlanes(m, pool), columns, 1)
	require.Equal(t, copies.Nodes, whole.Nodes)
	require.Equal(t, want, whole.LeavesOf(m))
	wantSum, wantRows := a.Total(nil, pool)
	sum, rows := spread.Total(nil, pool)
	require.Equal(t, wantSum, sum)
	require.Equal(t, wantRows, rows)
}
