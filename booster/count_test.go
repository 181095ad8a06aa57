package booster

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestCountsOfHugeEstimates do not overflow, on any CPU.
func TestCountsOfHugeEstimates(t *testing.T) {
	for rows, want := range map[float64]int32{0: 0, 2.4: 2, 2.5: 3, 1 << 30: 1 << 30, 1 << 31: math.MaxInt32, 1e30: math.MaxInt32, math.Inf(1): math.MaxInt32} {
		assert.Equal(t, want, toCount(rows))
	}
}
