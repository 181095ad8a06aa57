package histogram

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLayout(t *testing.T) {
	for _, c := range []struct {
		bins  []int
		width int // of a row, in bits
	}{
		{nil, 0},
		{[]int{255}, 8},
		{[]int{2, 2, 2, 2, 2, 2, 2, 2}, 8},    // sharing bytes saves nothing
		{[]int{2, 2, 2, 2, 2, 2, 2, 2, 2}, 8}, // nine 1-bit columns fit in two bytes
		{[]int{2, 255, 255, 255, 255, 255, 255, 255, 128}, 8},  // 7 bits and 1 bit share a byte
		{[]int{2, 255, 255, 255, 255, 255, 255, 255, 129}, 16}, // 8 bits and 1 bit do not
		{[]int{16, 16, 17, 9, 8, 255, 255, 255, 255, 4}, 8},
		{[]int{256}, 8},
		{[]int{257}, 8},
		{[]int{257, 2, 65535}, 16}, // two-byte columns share with none
		{[]int{257, 257, 257, 257, 257}, 16},
	} {
		fields, width := layout(c.bins, nil)
		assert.Equal(t, c.width, width, "%v", c.bins)
		assert.Len(t, fields, len(c.bins))
	}
}

// TestFieldsDoNotOverlap puts bins into rows in random order and reads them back.
func TestFieldsDoNotOverlap(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		bins := make([]int, rng.IntN(60))
		most := []int{1 + rng.IntN(255), 1000, MostBins}[rng.IntN(3)]
		for c := range bins {
			bins[c] = 1 + rng.IntN(1+rng.IntN(most))
		}
		fields, width := layout(bins, nil)
		require.LessOrEqual(t, width, wholeGroups(len(bins))+wholeGroups(2*len(bins)))
		row, want := make([]uint8, width), make([]uint16, len(bins))
		for range 4 * len(bins) {
			c := rng.IntN(len(bins))
			want[c] = uint16(rng.IntN(bins[c]))
			fields[c].put(row, want[c])
		}
		for c, f := range fields {
			require.Equal(t, want[c], f.Of(row))
		}
	}
}
