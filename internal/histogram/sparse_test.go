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

// sparseTwins returns the same data, mostly zeros in some features, binned with and without sparse columns.
func sparseTwins(t *testing.T, p BinParams, features, rows int) (sparse, dense *Matrix) {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(features), uint64(rows)))
	values := make([]float64, features*rows)
	for i := range values {
		switch f := i % features; {
		case f%20 == 0: // dense
			values[i] = rng.NormFloat64()
		case rng.IntN(120) == 0:
			values[i] = float64(rng.IntN(5) - f%3)
		case f%5 == 0 && rng.IntN(120) == 0:
			values[i] = math.NaN()
		}
	}
	src, err := dataset.FromRows(slices.Collect(slices.Chunk(values, features)),
		make([]float64, rows), []int{rows})
	require.NoError(t, err)
	matrixOf := func(p BinParams) *Matrix {
		sample, err := Read(t.Context(), src, p)
		require.NoError(t, err)
		x, err := sample.Bin(t.Context(), src)
		require.NoError(t, err)
		return x
	}
	sparse = matrixOf(p)
	p.Sparse = false
	return sparse, matrixOf(p)
}

// requireSame requires both matrices to have the same bins.
func requireSame(t *testing.T, want, got *Matrix) {
	t.Helper()
	require.Equal(t, want.Columns, got.Columns)
	require.Equal(t, want.NumRows(), got.NumRows())
	require.Equal(t, want.NaNs, got.NaNs)
	for row := range int32(want.NumRows()) {
		for c := range int32(len(want.Columns)) {
			if want.At(row, c) != got.At(row, c) {
				t.Fatalf("row %d, column %d: bin %d instead of %d", row, c, got.At(row, c), want.At(row, c))
			}
		}
	}
}

// TestSparseEqualsDense: sparse columns have the same bins as dense ones for every meaning of zero and NaN.
// The same holds for selected rows, for selected columns, and for a matrix that reuses memory.
func TestSparseEqualsDense(t *testing.T) {
	for _, missing := range []Missing{MissingNone, MissingZero, MissingNaN} {
		p := defaultParams()
		p.MinDataInBin, p.Missing = 1, missing
		sparse, dense := sparseTwins(t, p, 8000, 150)
		require.True(t, sparse.hasSparse())
		require.False(t, dense.hasSparse())
		require.Less(t, 2*sparse.Stride, dense.Stride)
		requireSame(t, dense, sparse)

		rows := []int{149, 3, 3, 0, 77}
		requireSame(t, dense.Select(rows), sparse.Select(rows))
		requireSame(t, dense.Rows(40, 90), sparse.Rows(40, 90))
		requireSame(t, dense.Rows(40, 40), sparse.Rows(40, 40))
		keep := func(f int) bool { return f%3 != 0 }
		for _, n := range []int{len(dense.Mapper.Features), 70} {
			requireSame(t, dense.Narrow(dense.Mapper.Narrow(n, keep)), sparse.Narrow(sparse.Mapper.Narrow(n, keep)))
		}

		part := sparse.Rows(40, 90)
		again, err := FromRaw(part.Mapper, Raw{Rows: 50, NaNs: part.NaNs, Bins: part.Raw().Bins,
			Sparse: part.Raw().Sparse}, 2)
		require.NoError(t, err)
		requireSame(t, part, again)
		assert.Equal(t, fingerprintOf(part, 1), fingerprintOf(again, 2))
		_, _, sums := part.Fingerprint(3, 1)
		_, _, other := part.Fingerprint(4, 1)
		assert.NotEqual(t, sums, other)
	}
}

// TestFingerprintOfLongRows: it is the same with and without sparse columns, and depends on the bins of both
// kinds of columns and on the order of rows.
func TestFingerprintOfLongRows(t *testing.T) {
	p := defaultParams()
	p.MinDataInBin = 1
	sparse, dense := sparseTwins(t, p, 8000, 150)
	seen := []string{fingerprintOf(sparse, 1)}
	assert.Equal(t, seen[0], fingerprintOf(dense, 2))
	add := func() {
		t.Helper()
		sum := fingerprintOf(sparse, 2)
		assert.NotContains(t, seen, sum)
		seen = append(seen, sum)
	}
	sparse.Row(7)[0] ^= 1
	add()
	places := sparse.sparse.Places
	sparse.sparse.Places = slices.Delete(slices.Clone(places), 0, 1) // a bin of the first rows moves on
	sparse.sparse.Places = append(sparse.sparse.Places, places[0])
	add()
	rows := make([]int, 150)
	for i := range rows {
		rows[i] = i
	}
	rows[3], rows[140] = rows[140], rows[3]
	sparse = dense.Select(rows)
	add()
}

// TestSparseMemory: the estimated number of bytes is about what sparse columns take.
func TestSparseMemory(t *testing.T) {
	p := defaultParams()
	p.MinDataInBin = 1
	sparse, _ := sparseTwins(t, p, 5000, 300)
	rows := sparse.Raw().Sparse
	is := len(sparse.Raw().Bins) + 8*len(rows.Ends) + 4*len(rows.Places)
	assert.InEpsilon(t, is, sparse.Mapper.Bytes(300), 0.1)
}

// TestChooseSparse: rare columns are sparse where rows without them are much shorter.
func TestChooseSparse(t *testing.T) {
	for _, c := range []struct {
		dense, rare int // columns of a byte
		sparse      bool
	}{{128, 8, false}, {104, 24, false}, {104, 48, true}, {16, 8, false}, {16, 16, true}, {0, 16, true},
		{5000, 100, false}, {0, 5000, true}} {
		var m Mapper
		var shares []float64
		for i := range c.dense + c.rare {
			bounds := make([]float64, 200)
			for b := range bounds {
				bounds[b] = float64(b)
			}
			m.Features = append(m.Features, FeatureBins{UpperBounds: bounds, Max: 199})
			shares = append(shares, 0.5)
			if i >= c.dense {
				shares[i] = 0.01
			}
		}
		defaultParams().chooseSparse(&m, shares)
		for i, f := range m.Features {
			assert.Equal(t, c.sparse && i >= c.dense, f.Sparse, "%+v: column %d", c, i)
		}
	}
}

// TestBadSparseRows: invalid sparse rows are refused, and none causes a panic.
func TestBadSparseRows(t *testing.T) {
	p := defaultParams()
	p.MinDataInBin = 1
	x, dense := sparseTwins(t, p, 8000, 150)
	rows := x.Raw().Sparse
	row := 0
	for len(rows.Of(row)) < 2 {
		row++
	}
	at := rows.Ends[row]
	c := x.ColumnOfPlace[rows.Places[at]]
	for name, damage := range map[string]func(s *SparseRows){
		"none":           func(s *SparseRows) { *s = SparseRows{} },
		"few ends":       func(s *SparseRows) { s.Ends = s.Ends[1:] },
		"negative":       func(s *SparseRows) { s.Ends[0] = -1 },
		"beyond":         func(s *SparseRows) { s.Ends[150]++ },
		"descending":     func(s *SparseRows) { s.Ends[row+1] = s.Ends[row+2] + 1 },
		"order":          func(s *SparseRows) { s.Places[at], s.Places[at+1] = s.Places[at+1], s.Places[at] },
		"twice":          func(s *SparseRows) { s.Places[at+1] = s.Places[at] },
		"zero":           func(s *SparseRows) { s.Places[at] = x.first[c] + uint32(x.Bins(c).Zero) },
		"dense column":   func(s *SparseRows) { s.Places[at] = 0 },
		"no such column": func(s *SparseRows) { s.Places[s.Ends[row+1]-1] = math.MaxUint32 },
	} {
		bad := SparseRows{slices.Clone(rows.Ends), slices.Clone(rows.Places)}
		damage(&bad)
		_, err := FromRaw(x.Mapper, Raw{Rows: 150, NaNs: x.NaNs, Bins: x.Raw().Bins, Sparse: bad}, 1)
		assert.ErrorIs(t, err, ErrRaw, name)
	}
	_, err := FromRaw(x.Mapper, Raw{Rows: 150, NaNs: x.NaNs, Bins: x.Raw().Bins}, 1)
	assert.ErrorIs(t, err, ErrRaw)
	_, err = FromRaw(dense.Mapper, Raw{Rows: 150, NaNs: dense.NaNs, Bins: dense.Raw().Bins, Sparse: rows}, 1)
	assert.ErrorIs(t, err, ErrRaw)
	wide := &Mapper{Features: slices.Clone(x.Mapper.Features)}
	wide.Features[x.Columns[c]], err = NewFeatureBins(FeatureBins{Categories: []int32{1, 2},
		Missing: MissingNone, Min: 0, Max: 2})
	require.NoError(t, err)
	wide.Features[x.Columns[c]].Sparse = true
	_, err = FromRaw(wide, Raw{Rows: 150, NaNs: x.NaNs, Bins: x.Raw().Bins, Sparse: rows}, 1)
	assert.ErrorIs(t, err, ErrRaw)
}
