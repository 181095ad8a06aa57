package binsum

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/par"
)

// TestColumnEqualsNaive transposes rows of each layout, and partitions and counts them by columns: all rows,
// and copies of some, as many as are copied or transposed together, or one less or more.
func TestColumnEqualsNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	pool := par.New(2)
	defer pool.Close()
	const most = gatherBlock + 50
	layouts := map[string]func() *Rows{
		"joint":  func() *Rows { return randomRowsOf(rng, most, 20, 4) },
		"bytes":  func() *Rows { return randomRowsOf(rng, most, 20, 255) },
		"wide":   func() *Rows { return randomRowsOf(rng, most, 20, 600) },
		"sparse": func() *Rows { return randomSparse(rng, most, 80, 3) },
	}
	for name, layout := range layouts {
		t.Run(name, func(t *testing.T) {
			x := layout()
			x.Transpose(pool)
			requireColumns(t, rng, x)
			gathered := (*Rows)(nil)
			for _, n := range []int{300, 0, 1, 7, 8, 9, transposeRows - 1, transposeRows + 1,
				gatherBlock + 1} {
				rows := someRows(rng, most, n)
				gathered = x.Gather(gathered, rows, pool)
				require.Equal(t, n, gathered.NumRows())
				for place, r := range rows {
					for c := range int32(len(x.fields)) {
						require.Equal(t, x.At(r, c), gathered.At(int32(place), c))
					}
				}
				if n > 0 {
					requireColumns(t, rng, gathered)
				}
			}
		})
	}
}

// requireColumns compares what columns of x do with some rows to what the bins of these rows say.
func requireColumns(t *testing.T, rng *rand.Rand, x *Rows) {
	t.Helper()
	for range 40 {
		c := int32(rng.IntN(len(x.fields)))
		rows := firstRows(rng, x.NumRows(), 1+rng.IntN(x.NumRows()))
		column, bins := x.Column(c, rows), int(x.begin[c+1]-x.begin[c])
		requireCounts(t, rng, x, c, rows)
		cut := Cut{Last: uint16(rng.IntN(bins)), Exception: NoBin}
		switch rng.IntN(3) {
		case 0:
			cut.Exception = int32(rng.IntN(bins))
		case 1:
			cut.Right = make([]uint8, bins)
			for b := range cut.Right {
				cut.Right[b] = uint8(rng.IntN(2))
			}
		}
		left, right := []int32{}, []int32{}
		for _, r := range rows {
			if cut.Side(x.At(r, c)) == 1 {
				right = append(right, r)
			} else {
				left = append(left, r)
			}
		}
		require.Equal(t, len(right), column.CountRight(rows, cut))
		spare := make([]int32, len(rows))
		require.Equal(t, len(left), column.Partition(rows, spare, cut))
		require.Equal(t, left, rows[:len(left):len(left)])
		require.Equal(t, right, spare[:len(right)])
	}
}

// requireCounts compares counts and sums of weights with those of single rows.
func requireCounts(t *testing.T, rng *rand.Rand, x *Rows, c int32, rows []int32) {
	t.Helper()
	column, bins := x.Column(c, rows), int(x.begin[c+1]-x.begin[c])
	weights := make([]float32, x.NumRows())
	counts, sums := make([]int64, bins), make([]float64, bins)
	for _, r := range rows {
		weights[r] = rng.Float32()
		bin := x.At(r, c)
		counts[bin]++
		sums[bin] += float64(weights[r])
	}
	gotCounts, gotSums := make([]int64, bins), make([]float64, bins)
	x.Count(gotCounts, c, rows)
	column.Weigh(gotSums, rows, weights)
	require.Equal(t, counts, gotCounts)
	require.Equal(t, sums, gotSums)
}

// TestCountRemembersTheRowsOfALeaf counts rows in several sparse columns, more often than there are different
// marks: the rows are marked once, until others are counted or leaves are forgotten.
func TestCountRemembersTheRowsOfALeaf(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	pool := par.New(1)
	defer pool.Close()
	x := randomSparse(rng, 700, 80, 3)
	x.Transpose(pool)
	c := x.sparse.columns[3]
	for range 300 {
		rows := firstRows(rng, 400, 300) // the others are never marked
		require.False(t, x.CountsFast(c, rows))
		requireCounts(t, rng, x, c, rows)
		require.True(t, x.CountsFast(c, rows))
		requireCounts(t, rng, x, x.sparse.columns[rng.IntN(len(x.sparse.columns))], rows)

		x.ForgetLeaves()
		require.False(t, x.CountsFast(c, rows))
		copy(rows, firstRows(rng, 400, len(rows)))
		requireCounts(t, rng, x, c, rows)
	}
}
