package histogram

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
)

// TestSelect: selected rows have the same bins as in the full matrix.
func TestSelect(t *testing.T) {
	var values [][]float64
	var labels []float64
	for row := range 60 {
		values = append(values, []float64{float64(row % 3), float64(row * row % 61), 0, float64(row % 2)})
		labels = append(labels, float64(row%2))
	}
	values[7][1], values[8][1] = math.NaN(), math.NaN()
	src, err := dataset.FromRows(values, labels, []int{60})
	require.NoError(t, err)
	p := defaultParams()
	p.MinDataInBin, p.Missing = 1, MissingNaN
	sample, err := Read(context.Background(), src, p)
	require.NoError(t, err)
	x, err := sample.Bin(context.Background(), src)
	require.NoError(t, err)

	rows := []int{59, 8, 0, 31}
	part := x.Select(rows)
	assert.Equal(t, 4, part.NumRows())
	assert.Same(t, x.Mapper, part.Mapper)
	for i, row := range rows {
		assert.Equal(t, x.Row(row), part.Row(i))
	}
	assert.Equal(t, int64(2), x.NaNs[1])
	assert.Equal(t, int64(1), part.NaNs[1])
	part.Row(0)[0]++
	assert.NotEqual(t, x.Row(59), part.Row(0), "a copy")
	again, err := FromRaw(x.Mapper, Raw{Rows: 3, NaNs: x.Select(rows[1:]).NaNs,
		Bins: x.Select(rows[1:]).Raw().Bins}, 1)
	require.NoError(t, err)
	assert.Equal(t, fingerprintOf(x.Select(rows[1:]), 1), fingerprintOf(again, 1))
	assert.Zero(t, x.Select(nil).NumRows())
}
