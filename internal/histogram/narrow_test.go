package histogram

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
)

// mixed returns the binned rows of features of all kinds: dense, sparse, with missing values, with few
// values, categorical, and constant.
func mixed(t *testing.T, p BinParams) *Matrix {
	t.Helper()
	const features, rows = 9, 600
	rng := rand.New(rand.NewPCG(3, 1))
	values := make([]float64, features*rows)
	for row := range rows {
		x := values[row*features:][:features]
		copy(x, []float64{rng.NormFloat64(), -rng.ExpFloat64(), float64(rng.IntN(3)), float64(rng.IntN(9) - 2), 0,
			math.Exp(40 * rng.NormFloat64()), rng.Float64(), float64(rng.IntN(2)), -1e-40})
		if rng.IntN(2) == 0 {
			x[1], x[6] = 0, math.NaN()
		}
		if rng.IntN(9) == 0 {
			x[3], x[0] = math.NaN(), math.NaN()
		}
	}
	src, err := dataset.FromRows(slices.Collect(slices.Chunk(values, features)),
		make([]float64, rows), []int{rows})
	require.NoError(t, err)
	sample, err := Read(t.Context(), src, p)
	require.NoError(t, err)
	matrix, err := sample.Bin(t.Context(), src)
	require.NoError(t, err)
	return matrix
}

func kinds() []BinParams {
	kinds := []BinParams{defaultParams(), defaultParams(), defaultParams(), defaultParams(),
		defaultParams(), defaultParams()}
	kinds[1].Missing = MissingZero
	kinds[2].Missing = MissingNone
	kinds[3].Categorical = "3,2"
	kinds[4].MaxBin, kinds[4].MinDataInBin = 1000, 1
	kinds[5].MaxBin, kinds[5].MinDataInBin, kinds[5].Missing = 1000, 1, MissingZero
	return kinds
}

// TestValueLiesInItsBin checks every bin of every kind of feature.
func TestValueLiesInItsBin(t *testing.T) {
	for kind, p := range kinds() {
		m := mixed(t, p).Mapper
		for f := range m.Features {
			bins := &m.Features[f]
			for bin := range bins.NumBins() {
				assert.Equal(t, uint16(bin), bins.Bin(bins.Value(uint16(bin))), "kind %d, feature %d: %v", kind, f,
					bins.Value(uint16(bin)))
			}
		}
	}
}

// TestSelect: selected rows have the same bins as in the full matrix, in a copy.
func TestSelect(t *testing.T) {
	for _, p := range kinds() {
		x := mixed(t, p)
		rows := rand.New(rand.NewPCG(3, 2)).Perm(x.NumRows())
		part, rest := x.Select(rows[:9]), x.Select(rows[9:])
		assert.Same(t, x.Mapper, part.Mapper)
		for i, row := range rows[:9] {
			for c := range int32(len(x.Columns)) {
				require.Equal(t, x.At(int32(row), c), part.At(int32(i), c))
			}
		}
		for f, n := range x.NaNs {
			if b := &x.Mapper.Features[f]; b.Missing != MissingNaN || b.IsCategorical() {
				n = 0
			}
			assert.Equal(t, n, part.NaNs[f]+rest.NaNs[f])
		}
		again, err := FromRaw(x.Mapper, part.Raw(), 1)
		require.NoError(t, err)
		assert.Equal(t, fingerprintOf(part, 1), fingerprintOf(again, 1))
		part.Row(0)[0]++
		assert.NotEqual(t, x.Row(rows[0]), part.Row(0))
		assert.Zero(t, x.Select(nil).NumRows())
	}
}

// TestNarrow: columns of the selected features have the same bins, and other columns are removed, those
// beyond the first features with their numbers.
func TestNarrow(t *testing.T) {
	for _, p := range kinds() {
		wide := mixed(t, p)
		n := len(wide.Mapper.Features) - 2
		keep := func(f int) bool { return f < n && (f%2 == 1 || f == 2) }
		narrow := wide.Narrow(wide.Mapper.Narrow(len(wide.Mapper.Features), keep))
		require.NotEmpty(t, narrow.Columns)
		for f := range wide.Mapper.Features {
			was, is := wide.ColumnOf[int32(f)], narrow.ColumnOf[int32(f)]
			if was < 0 || !keep(f) {
				assert.Negative(t, is)
				assert.True(t, narrow.Mapper.Features[f].Constant())
				continue
			}
			assert.Equal(t, wide.NaNs[f], narrow.NaNs[f])
			for row := range int32(wide.NumRows()) {
				require.Equal(t, wide.At(row, was), narrow.At(row, is))
			}
		}
		assert.Less(t, narrow.Stride, wide.Stride+1)
		first := wide.Narrow(wide.Mapper.Narrow(n, keep))
		assert.Len(t, first.Mapper.Features, n)
		assert.Equal(t, narrow.NaNs[:n], first.NaNs)
		assert.Equal(t, narrow.Columns, first.Columns)
		assert.Equal(t, narrow.Raw().Bins, first.Raw().Bins)
	}
}

// TestNarrowKeepsKinds: a categorical feature that is not selected stays categorical, without categories.
func TestNarrowKeepsKinds(t *testing.T) {
	m := mixed(t, kinds()[3]).Mapper
	m = m.Narrow(len(m.Features), func(int) bool { return false })
	for f := range m.Features {
		assert.Equal(t, f == 2 || f == 3, m.Features[f].IsCategorical(), "feature %d", f)
		assert.True(t, m.Features[f].Constant())
	}
}
