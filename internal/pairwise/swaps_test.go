package pairwise

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSwapsByHand: four documents; the last two in the order of the file have equal gains.
func TestSwapsByHand(t *testing.T) {
	s := Swaps{Gains: []float64{3, 0, 1, 1}, Discounts: []float64{1, 0.5, 0.25, 0.125}, Truncation: 2, Scale: 8}
	s.RankAnew([]float64{0, 3, 2, 1})
	require.Equal(t, []int32{1, 2, 3, 0}, s.Order)
	var got []Swap
	for pair := range s.All {
		got = append(got, pair)
	}
	want := []Swap{
		{High: 2, Low: 1, Gap: -1, Delta: 8 * 1 * 0.5},
		{High: 3, Low: 1, Gap: -2, Delta: 8 * 1 * 0.75},
		{High: 0, Low: 1, Gap: -3, Delta: 8 * 3 * 0.875},
		{High: 0, Low: 2, Gap: -2, Delta: 8 * 2 * 0.375},
	}
	assert.Equal(t, want, got)
	s.GapOffset = 2
	n := 0
	for pair := range s.All {
		assert.Equal(t, want[n].Delta/(2-want[n].Gap), pair.Delta)
		if n++; n == 2 {
			break
		}
	}
	assert.Equal(t, 2, n)
}
