package binsum

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/internal/par"
)

// randomSparse draws rows with some sparse columns, in which the bin of zero need not be the first.
func randomSparse(rng *rand.Rand, rows, columns int, each int) *Rows {
	m := &histogram.Mapper{}
	for c := range columns {
		zero := rng.IntN(3)
		var bounds []float64
		for b := range 3 + rng.IntN(4) {
			bounds = append(bounds, float64(b-zero)+0.5)
		}
		f := must(histogram.NewFeatureBins(histogram.FeatureBins{UpperBounds: append(bounds, math.Inf(1)),
			Missing: histogram.MissingNone, Min: bounds[0], Max: bounds[len(bounds)-1]}))
		f.Sparse = c%each != 0
		m.Features = append(m.Features, f)
	}
	var sparse histogram.SparseRows
	sparse.Ends = make([]int64, 1)
	var first []uint32
	place := uint32(0)
	for f := range m.Features {
		first = append(first, place)
		place += uint32(m.Features[f].NumBins())
	}
	for range rows {
		for f := range m.Features {
			bins := &m.Features[f]
			if bin := rng.IntN(bins.NumBins()); bins.Sparse && rng.IntN(5) == 0 && bin != int(bins.Zero) {
				sparse.Places = append(sparse.Places, first[f]+uint32(bin))
			}
		}
		sparse.Ends = append(sparse.Ends, int64(len(sparse.Places)))
	}
	stride := must(histogram.FromRaw(m, histogram.Raw{Rows: 0, NaNs: make([]int64, columns),
		Sparse: histogram.SparseRows{Ends: []int64{0}}}, 1)).Stride
	x := must(histogram.FromRaw(m, histogram.Raw{Rows: rows, NaNs: make([]int64, columns), Bins: make([]uint8,
		rows*stride), Sparse: sparse}, 1))
	for r := range rows {
		for c := range int32(columns) {
			if f := x.Fields[c]; !f.Sparse {
				x.Row(r)[f.At] |= uint8(rng.IntN(x.Bins(c).NumBins())) << f.Shift
			}
		}
	}
	return Of(x)
}

// TestLiveEqualsNaive divides leaves: the live columns of both children, and the sums of these columns, which
// are built from the rows of one child or subtracted from those of the leaf.
func TestLiveEqualsNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 9))
	pool := par.New(2)
	defer pool.Close()
	for range 20 {
		x := randomSparse(rng, 150, 100+rng.IntN(200), 2+rng.IntN(90))
		x = x.Gather(nil, someRows(rng, 150, 120), pool)
		values, weights := randomValues(rng, x.NumRows()), make([]uint32, x.NumRows())
		for i := range weights {
			weights[i] = 1 + rng.Uint32N(9)
		}
		for _, n := range []int{0, 1, 3, rng.IntN(x.NumRows()), x.NumRows()} {
			leaf := firstRows(rng, x.NumRows(), n+rng.IntN(x.NumRows()-n+1))
			rows, others := leaf[:n], leaf[n:]
			var all, one, other Live
			all.SetAll(x, x.CountSparse(nil, leaf, weights), 20)
			all.Divide(x, &one, &other, x.CountSparse([]uint32{9}, rows, weights), nil, 20)
			require.Equal(t, naiveLive(x, rows, weights, 20), one.Columns)
			require.Equal(t, naiveLive(x, others, weights, 20), other.Columns)

			sums, rest := make(Histogram, x.NumBins()), naiveSums(x, x.sparse.columns, leaf, values)
			for i := range sums {
				sums[i] = rng.Int64()
			}
			x.buildSparse(sums, rest, sparsePart(x), rows, values, &one, &other)
			requireSums(t, x, one.Columns, naiveSums(x, one.Columns, rows, values), sums)
			requireSums(t, x, other.Columns, naiveSums(x, other.Columns, others, values), rest)
			x.buildSparse(sums, nil, sparsePart(x), others, values, &other, nil)
			requireSums(t, x, other.Columns, rest, sums)
		}
	}
}

// TestLiveBesideRowsApart: rows that may be in either child count for both.
func TestLiveBesideRowsApart(t *testing.T) {
	x := randomSparse(rand.New(rand.NewPCG(7, 9)), 10, 10, 10)
	all := Live{Columns: []int32{1, 2, 3, 4}, Rows: []uint32{7, 7, 7, 7}}
	var one, other Live
	all.Divide(x, &one, &other, []uint32{9, 0, 2, 3, 5}, []uint32{9, 3, 0, 0, 2}, 3)
	require.Equal(t, []int32{1, 3, 4}, one.Columns)
	require.Equal(t, []uint32{3, 3, 7}, one.Rows)
	require.Equal(t, []int32{1, 2, 3}, other.Columns)
	require.Equal(t, []uint32{7, 5, 4}, other.Rows)
}

// TestExceedsWithLessThanOneValueInARow: also then, more bins than values of all rows are needed.
func TestExceedsWithLessThanOneValueInARow(t *testing.T) {
	x := randomSparse(rand.New(rand.NewPCG(7, 9)), 1000, 4, 2)
	require.Less(t, x.places(), x.NumRows())
	var all Live
	all.SetAll(x, x.CountSparse(nil, firstRows(rand.New(rand.NewPCG(7, 9)), 1000, 1000), nil), 1)
	require.False(t, all.Exceeds(x, 1000, 1))
	require.True(t, all.Exceeds(x, 1, 1))
	x.rows, x.sparse.Ends = 1<<30, []int64{0, 1 << 35}
	require.False(t, all.Exceeds(x, 1<<29, 1))
}

// sparsePart returns the part of all sparse columns.
func sparsePart(x *Rows) Part { return Part{x.numTiles() * groupSize, x.NumGroups() * groupSize} }

// requireSums requires that two histograms have the same sums in some columns.
func requireSums(t *testing.T, x *Rows, columns []int32, want, got Histogram) {
	t.Helper()
	for _, c := range columns {
		require.Equal(t, x.of(want, c), x.of(got, c))
	}
}

// naiveLive returns the sparse columns in which rows of at least a weight have other bins than that of 0.
func naiveLive(x *Rows, rows []int32, weights []uint32, least uint32) (columns []int32) {
	for _, c := range x.sparse.columns {
		sum := uint32(0)
		for _, r := range rows {
			if int32(x.At(r, c)) != x.sparse.zeros[c]-x.begin[c] {
				sum += weights[r]
			}
		}
		if sum >= least {
			columns = append(columns, c)
		}
	}
	return columns
}
