package grow

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/bincut"
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/internal/par"
)

// randomValues draws rows of five features, of which the last one is never missing.
func randomValues(seed uint64, rows int, missing float64) [][]float64 {
	rng := rand.New(rand.NewPCG(seed, 0))
	values := make([][]float64, rows)
	for r := range values {
		x := []float64{rng.NormFloat64(), float64(rng.IntN(4)), rng.ExpFloat64(), 0, rng.NormFloat64()}
		if rng.IntN(3) > 0 {
			x[3] = rng.Float64()
		}
		for f := range 4 {
			if rng.Float64() < missing {
				x[f] = math.NaN()
			}
		}
		values[r] = x
	}
	return values
}

// shopValues draws rows of which features 1 and 3 are categories.
func shopValues(seed uint64, rows int) [][]float64 {
	rng := rand.New(rand.NewPCG(seed, 0))
	values := make([][]float64, rows)
	for r := range values {
		values[r] = []float64{rng.NormFloat64(), float64(min(rng.IntN(41), rng.IntN(41)) * 3), rng.ExpFloat64(),
			float64(rng.IntN(3) * 7), rng.NormFloat64()}
		if rng.IntN(20) == 0 {
			values[r][1] = math.NaN()
		}
	}
	return values
}

// source returns rows of values as data.
func source(values [][]float64) dataset.Source {
	meta := &dataset.Meta{Labels: make([]float64, len(values)),
		Queries: []dataset.Query{{ID: "1", Len: len(values)}}}
	for f := range values[0] {
		meta.Features = append(meta.Features, fmt.Sprintf("Column_%d", f))
	}
	return dataset.NewMemory(meta, 1, func(b *dataset.Block, rows []int) error {
		for _, r := range rows {
			row := dataset.Row{Number: r, Value: values[r]}
			for f := range row.Value {
				row.Feature = append(row.Feature, int32(f))
			}
			b.Rows = append(b.Rows, row)
		}
		return nil
	})
}

// usualBins are the parameters of bins of most tests.
func usualBins() histogram.BinParams {
	return histogram.BinParams{MaxBin: 255, MinDataInBin: 3, SampleCount: 200000, Missing: histogram.MissingNaN}
}

// binsOf returns the bins of each set of values, which are found on the first.
func binsOf(t testing.TB, p histogram.BinParams, sets ...[][]float64) []*histogram.Matrix {
	t.Helper()
	sample, err := histogram.Read(t.Context(), source(sets[0]), p)
	require.NoError(t, err)
	return binsBy(t, sample.Mapper, sets...)
}

func binsBy(t testing.TB, m *histogram.Mapper, sets ...[][]float64) (all []*histogram.Matrix) {
	t.Helper()
	for _, values := range sets {
		bins, _, err := m.Bin(t.Context(), source(values))
		require.NoError(t, err)
		all = append(all, bins)
	}
	return all
}

// sparseOf returns the bins of values with the bounds of m, with every second column sparse.
func sparseOf(t testing.TB, m *histogram.Matrix, sets ...[][]float64) []*histogram.Matrix {
	t.Helper()
	sparse := &histogram.Mapper{Features: slices.Clone(m.Mapper.Features)}
	for f := range sparse.Features {
		own := &sparse.Features[f]
		own.Sparse = f%2 == 1 && !own.IsCategorical() && own.NumBins() <= 256
	}
	all := binsBy(t, sparse, sets...)
	require.NotNil(t, all[0].Raw().Sparse.Ends)
	return all
}

// withPlanes returns all rows as trees are grown on.
func withPlanes(m *histogram.Matrix, pool *par.Pool) *binsum.Rows {
	rows := binsum.Of(m)
	rows.Transpose(pool)
	return rows
}

// usualSettings are the settings of most tests.
func usualSettings() Settings {
	return Settings{
		Rules: Rules{MinSumHessian: 1e-3, MinData: 5,
			Categories: bincut.Categories{Smooth: 10, SmoothRows: 10, L2: 10, Most: 32, MostOneHot: 4, Group: 5}},
		NumLeaves: 8, ByNode: 1, LeastIdle: 0.125,
	}
}

// oneWorker returns a pool of one worker.
func oneWorker(t testing.TB) *par.Pool {
	pool := par.New(1)
	t.Cleanup(pool.Close)
	return pool
}

// growerOn returns a grower of trees on data, without a tree.
func growerOn(m *histogram.Matrix, pool *par.Pool) *Grower {
	return New(Settings{}, m, withPlanes(m, pool), nil, pool)
}

// trial is a tree to be grown on values, by settings, on about a share of the rows.
type trial struct {
	Settings
	bins   histogram.BinParams
	share  float64
	sparse bool // every second column is sparse
}

func usualTrial() trial { return trial{Settings: usualSettings(), bins: usualBins(), share: 1} }

// grow grows the tree on gradients that depend on the values.
func (tr *trial) grow(t testing.TB, seed uint64, values [][]float64) *Grower {
	t.Helper()
	rng, pool := rand.New(rand.NewPCG(seed, 3)), oneWorker(t)
	m := binsOf(t, tr.bins, values)[0]
	if tr.sparse {
		m = sparseOf(t, m, values)[0]
	}
	lambda, hessian := make([]float64, len(values)), make([]float64, len(values))
	for r, x := range values {
		lambda[r], hessian[r] = rng.NormFloat64()-x[4], 0.1+rng.Float64()
		for f, effect := range []func(float64) float64{math.Cbrt, math.Sin} {
			if x[f] == x[f] {
				lambda[r] -= 2 * effect(x[f])
			}
		}
	}
	a, rows := activeOf(rng, lambda, hessian, tr.share), withPlanes(m, pool)
	g := New(tr.Settings, m, rows, nil, pool)
	if a.Sparse {
		rows = binsum.Of(m).Gather(nil, a.Rows, pool)
	}
	var columns []int32
	for c := range m.Columns {
		columns = append(columns, int32(c))
	}
	g.Grow(a, rows, columns, 1)
	require.NotEmpty(t, g.Nodes)
	return g
}

// activeOf rounds gradients of all rows, or at random, so that about a share of the rows remains.
func activeOf(rng *rand.Rand, lambda, hessian []float64, share float64) *Active {
	mass := func(of []float64) (sum float64) {
		for _, v := range of {
			sum += math.Abs(v)
		}
		return sum
	}
	unit := func(mass, most float64) exact.Scale {
		if share < 1 {
			most = share * float64(len(lambda))
		}
		return exact.ScaleOf(mass / most)
	}
	a := &Active{Sparse: share < 1, Scales: Scales{Gradient: unit(mass(lambda), binsum.MaxPackedGradient),
		Hessian: unit(mass(hessian), binsum.MaxPackedHessian)}}
	for row, l := range lambda {
		sum := binsum.Sum{Gradient: a.Gradient.Round(l), Hessian: a.Hessian.Round(hessian[row])}
		if a.Sparse {
			r := rng.Float64()
			sum = binsum.Sum{Gradient: a.Gradient.Dither(l, r), Hessian: a.Hessian.Dither(hessian[row], r)}
			if sum == (binsum.Sum{}) {
				continue
			}
			a.RowsFor = append(a.RowsFor, float32(1/min(1, max(a.Gradient.Units(math.Abs(l)),
				a.Hessian.Units(hessian[row])))))
		}
		a.Rows, a.Packed = append(a.Rows, int32(row)), append(a.Packed, sum.Pack())
		a.LargestHessian = max(a.LargestHessian, sum.Hessian)
	}
	return a
}
