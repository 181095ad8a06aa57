package binsum

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/histogram"
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

// TestLiveEqualsNaive: weights of rows off the bin of 0, and sums of live columns alone, of some rows and of
// all, of which gathered ones are known place by place.
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
		for _, n := range []int{0, 1, rng.IntN(x.NumRows()), x.NumRows()} {
			rows := firstRows(rng, x.NumRows(), n)
			weighted := x.AddLive([]uint32{9}, rows, weights)
			live := &Live{Rows: x.AddLive(nil, rows, nil), Least: uint32(n/5 + 1)}
			sums := make(Histogram, x.NumBins())
			for i := range sums {
				sums[i] = rng.Int64()
			}
			x.buildSparse(sums, x.numTiles(), x.NumGroups()-1, rows, values, live)
			want := naiveSums(x, x.sparse.columns, rows, values)
			for c := range int32(len(x.fields)) {
				counted, byWeight := naiveLive(x, c, rows, weights)
				require.Equal(t, counted, live.Rows[c])
				require.Equal(t, byWeight, weighted[c])
				if x.fields[c].Sparse && live.Has(c) {
					require.Equal(t, x.of(want, c), x.of(sums, c))
				}
			}
		}
	}
}

// naiveLive returns the number and the weights of the rows that a column has in other bins than that of 0.
func naiveLive(x *Rows, column int32, rows []int32, weights []uint32) (counted, weighted uint32) {
	if !x.fields[column].Sparse {
		return math.MaxUint32, math.MaxUint32
	}
	for _, r := range rows {
		if int32(x.At(r, column)) != x.zero(column)-x.begin[column] {
			counted++
			weighted += weights[r]
		}
	}
	return counted, weighted
}

// TestBuildSparseEqualsNaive covers all columns and some of the groups, for all rows, gathered rows and no
// rows.
func TestBuildSparseEqualsNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 3))
	pool := par.New(3)
	defer pool.Close()
	var gathered *Rows
	for range 20 {
		x := randomSparse(rng, 200, 100+rng.IntN(200), 2+rng.IntN(90))
		values := randomValues(rng, 200)
		gathered = x.Gather(gathered, someRows(rng, 200, 120), pool)
		for _, x := range []*Rows{x, gathered} {
			rows := firstRows(rng, x.NumRows(), rng.IntN(x.NumRows()))
			got := make(Histogram, x.NumBins())
			for i := range got {
				got[i] = rng.Int64()
			}
			last := x.NumGroups() - 1
			middle := x.numTiles() + rng.IntN(last+1-x.numTiles())
			x.buildSparse(got, x.numTiles(), middle, rows, values, nil)
			if middle < last {
				x.buildSparse(got, middle+1, last, rows, values, nil)
			}
			want := naiveSums(x, x.sparse.columns, rows, values)
			for _, c := range x.sparse.columns {
				require.Equal(t, x.of(want, c), x.of(got, c))
				require.Equal(t, x.numTiles()+indexOf(x.sparse.columns, c)/sparseColumns, x.Group(c))
			}
		}
	}
}

func indexOf(columns []int32, column int32) int {
	for i, c := range columns {
		if c == column {
			return i
		}
	}
	return -1
}
