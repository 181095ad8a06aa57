package dataset

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFromRows(t *testing.T) {
	rows := [][]float64{{1, 2}, {3, math.NaN()}, {5, 6}}
	labels, sizes := []float64{2, 0, 1}, []int{2, 1}
	ofRows, err := FromRows(rows, labels, sizes)
	require.NoError(t, err)
	queries := []Query{{ID: "0", First: 0, Len: 2}, {ID: "1", First: 2, Len: 1}}
	ofValues, err := NewDense(Meta{Labels: labels, Queries: queries}, slices.Concat(rows...))
	require.NoError(t, err)
	for _, d := range []Columned{ofRows, ofValues} {
		seen := make([]string, 3)
		meta, err := Scan(context.Background(), d, nil, func(_ int, row Row) error {
			seen[row.Number] = fmt.Sprint(row.Feature, row.Value)
			return nil
		})
		require.NoError(t, err)
		assert.Equal(t, []string{"[0 1] [1 2]", "[0 1] [3 NaN]", "[0 1] [5 6]"}, seen)
		assert.Equal(t, queries, meta.Queries)
		assert.Equal(t, []string{"Column_0", "Column_1"}, meta.Features)
		assert.Equal(t, labels, meta.Labels)
	}
}

func TestFromRowsRefuses(t *testing.T) {
	for _, c := range []struct {
		rows   [][]float64
		labels []float64
		sizes  []int
		want   error
		text   string
	}{
		{nil, nil, nil, ErrEmpty, "there are no rows"},
		{[][]float64{{1}}, []float64{1, 2}, []int{2}, ErrShape, "1 rows and 2 labels"},
		{[][]float64{{1, 2}, {3}}, []float64{1, 2}, []int{2}, ErrShape, "row 1 has 1 values, and row 0 has 2"},
		{[][]float64{{1}, {2}}, []float64{1, 2}, []int{1}, ErrShape, "the queries have 1 rows, and there are 2"},
		{[][]float64{{1}, {2}}, []float64{1, 2}, []int{2, 0}, ErrShape, "query 1 has 0 rows"},
		{[][]float64{{1}, {math.Inf(-1)}}, []float64{1, 2}, []int{2}, ErrValueFinite, "feature 0 of row 1 is -Inf"},
		{[][]float64{{1}, {2}}, []float64{1, math.NaN()}, []int{2}, nil, "the label of row 1 is NaN"},
	} {
		_, err := FromRows(c.rows, c.labels, c.sizes)
		require.ErrorContains(t, err, c.text)
		if c.want != nil {
			assert.ErrorIs(t, err, c.want)
		}
	}
	_, err := NewDense(Meta{Labels: make([]float64, 2), Queries: []Query{{Len: 2}}}, make([]float64, 5))
	assert.ErrorIs(t, err, ErrShape)
}

// numbered returns n rows in queries of three. The only feature is the row number.
func numbered(t *testing.T, n int) Columned {
	rows, sizes := make([][]float64, n), []int(nil)
	for i := range rows {
		rows[i] = []float64{float64(i)}
	}
	for left := n; left > 0; left -= 3 {
		sizes = append(sizes, min(3, left))
	}
	d, err := FromRows(rows, make([]float64, n), sizes)
	require.NoError(t, err)
	return d
}

// TestDenseStream: blocks are in order and cover all rows with the right queries, for any number of workers.
func TestDenseStream(t *testing.T) {
	for _, rows := range []int{1, blockRows, blockRows + 1, 2000} {
		for _, workers := range []int{1, 2, 7} {
			d := numbered(t, rows)
			d.(*dense).Source.(*memory).workers = workers
			next, queries := 0, 0
			work := func(worker int, b *Block) error {
				assert.Less(t, worker, workers)
				for i := range b.Len() {
					assert.Zero(t, b.Scores[i])
					b.Scores[i] = -b.Rows[i].Value[0]
				}
				return nil
			}
			require.NoError(t, Stream(context.Background(), d, work, func(b *Block) error {
				assert.Equal(t, next, b.FirstRow)
				for i := range b.Len() {
					assert.Equal(t, next, b.Rows[i].Number)
					assert.Equal(t, -float64(next), b.Scores[i])
					next++
				}
				end := b.FirstRow
				for _, q := range b.Queries {
					assert.Equal(t, end, q.First)
					assert.Equal(t, fmt.Sprint(q.First/3), q.ID)
					end += q.Len
					if end%3 == 0 || end == rows {
						queries++
					}
				}
				assert.Equal(t, next, end, "queries cover the block")
				return nil
			}))
			assert.Equal(t, rows, next)
			assert.Equal(t, (rows+2)/3, queries)
		}
	}
}

// TestDenseStreamEnds: all blocks before an error are emitted, and none after it.
func TestDenseStreamEnds(t *testing.T) {
	d := numbered(t, 5000)
	d.(*dense).Source.(*memory).workers = 3
	stop := errors.New("stop")
	nothing := func(int, *Block) error { return nil }
	emitted := 0
	count := func(b *Block) error { emitted += b.Len(); return nil }
	err := Stream(context.Background(), d, func(_ int, b *Block) error {
		if b.FirstRow >= 4*blockRows {
			return stop
		}
		return nil
	}, count)
	assert.Equal(t, stop, err)
	assert.Equal(t, 4*blockRows, emitted)
	assert.Equal(t, stop, Stream(context.Background(), d, nothing, func(*Block) error { return stop }))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	assert.ErrorIs(t, Stream(ctx, d, nothing, count), context.Canceled)
}
