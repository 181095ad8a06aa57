package table

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data/internal/rows"
)

// TestTranspose: rows have the values of the columns, whether features are adjacent, mixed with other
// columns, or in another order, for all rows and for some.
func TestTranspose(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range rounds(200) {
		c := &columns{role: make([]int, 1+rng.IntN(40))}
		next := 0
		for column := range c.role {
			c.role[column] = ignoredColumn
			if rng.IntN(12) > 0 {
				c.role[column] = next
				next += 1 + rng.IntN(20)/19
			}
		}
		if rng.IntN(2) == 0 {
			i, j := rng.IntN(len(c.role)), rng.IntN(len(c.role))
			c.role[i], c.role[j] = c.role[j], c.role[i]
		}
		d := &parquetData{columns: c}
		d.slots, d.features = c.slots()
		b := &batch{n: 1 + rng.IntN(100), firstRow: 1000, values: make([][]float64, len(c.role)),
			infinite: make([]bool, len(c.role))}
		for column := range b.values {
			b.values[column] = make([]float64, b.n)
			for i := range b.values[column] {
				b.values[column][i] = rng.Float64()
			}
		}
		keep := func(row int) bool { return row%5 < 4 }
		if rng.IntN(2) == 0 {
			keep = nil
		}
		seen := 0
		r := &parquetReading{parquetData: d, pass: dataset.Pass{Keep: keep}}
		w := rowWorker{values: make([]float64, rowBlock*len(d.features))}
		for from := 0; from < b.n; from += rowBlock {
			w.block, w.used = rows.Block{}, 0
			require.NoError(t, r.addRows(b, from, min(b.n, from+rowBlock), &w))
			for _, row := range w.block.Rows {
				seen++
				at := map[int32]float64{}
				for i, f := range row.Feature {
					at[f] = row.Value[i]
				}
				for column, role := range c.role {
					if role >= 0 {
						require.Equal(t, b.values[column][row.Number-1000], at[int32(role)])
					}
				}
			}
		}
		if keep == nil {
			require.Equal(t, b.n, seen)
		}
	}
}

// TestInfiniteParquetValue: the error names the first row with an infinite value.
func TestInfiniteParquetValue(t *testing.T) {
	d := &parquetData{columns: &columns{role: []int{0, 1}, names: []string{"a", "b"}}}
	d.slots, d.features = d.columns.slots()
	b := &batch{path: "x", n: 3, values: [][]float64{{1, 2, math.Inf(-1)}, {1, math.Inf(1), 3}},
		infinite: []bool{true, true}}
	err := (&parquetReading{parquetData: d}).addRows(b, 0, 3, &rowWorker{values: make([]float64, rowBlock*2)})
	var e *dataset.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, dataset.Error{Path: "x", Row: 2, Field: "b", Err: dataset.ErrValueFinite}, *e)
}
