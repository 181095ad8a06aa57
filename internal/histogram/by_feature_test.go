package histogram

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
)

// TestMaxBinByFeature: a feature listed in MaxBinByFeature has that number of bins; others follow MaxBin.
func TestMaxBinByFeature(t *testing.T) {
	rows := make([][]float64, 500)
	for i := range rows {
		rows[i] = []float64{float64(i * 7 % 500), float64(i * 3 % 400), float64(i % 50)}
	}
	labels, sizes := make([]float64, len(rows)), []int{len(rows)}
	src, err := dataset.FromRows(rows, labels, sizes)
	require.NoError(t, err)
	read := func(p BinParams) []FeatureBins {
		s, err := Read(t.Context(), src, p)
		require.NoError(t, err)
		return s.Mapper.Features
	}
	p := defaultParams()
	wide := read(p)
	p.MaxBin = 15
	narrow := read(p)
	p.MaxBin, p.MaxBinByFeature = 255, "1:15"
	mixed := read(p)
	assert.Equal(t, [][]float64{wide[0].UpperBounds, narrow[1].UpperBounds, wide[2].UpperBounds},
		[][]float64{mixed[0].UpperBounds, mixed[1].UpperBounds, mixed[2].UpperBounds})
	p.MaxBinByFeature = "255,15,255"
	assert.Equal(t, mixed[1].UpperBounds, read(p)[1].UpperBounds)
	for _, text := range []string{"1", "1:1", "0:65536", "nosuch:3", "0:2.5"} {
		p.MaxBinByFeature = text
		_, err := Read(t.Context(), src, p)
		assert.ErrorIs(t, err, ErrParams, text)
	}
}
