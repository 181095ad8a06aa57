package histogram

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestFingerprint: the fingerprint depends on each byte of the bins, each bound, and the treatment of
// missing values.
func TestFingerprint(t *testing.T) {
	m := &Mapper{Features: make([]FeatureBins, 2)}
	for f := range m.Features {
		m.Features[f] = FeatureBins{UpperBounds: []float64{1, 2, 3}, Min: 0, Max: 4}
	}
	x := newMatrix(m, 2*fingerprintBlock+3)
	seen := []string{fingerprintOf(x, 1)}
	assert.Equal(t, seen[0], fingerprintOf(x, 5))
	add := func() {
		t.Helper()
		sum := fingerprintOf(x, 2)
		assert.NotContains(t, seen, sum)
		seen = append(seen, sum)
	}
	for _, at := range []int{0, fingerprintBlock * x.Stride, len(x.bins) - x.Stride} {
		x.bins[at]++
		add()
	}
	m.Features[1].UpperBounds = slices.Clone(m.Features[1].UpperBounds)
	m.Features[1].UpperBounds[0] = 1.5
	add()
	m.Features[0].Missing = MissingZero
	add()
	m.Features[1].Max = 5
	add()
	_, bounds, sums := x.Fingerprint(0, 1)
	m.Features = append([]FeatureBins{{UpperBounds: []float64{math.Inf(1)}}}, m.Features...)
	add()
	_, otherBounds, otherSums := x.Fingerprint(0, 1)
	assert.Equal(t, bounds, otherBounds, "a feature that does not vary only changes numbers")
	assert.Equal(t, sums, otherSums)
}

// fingerprintOf returns the fingerprint of all rows.
func fingerprintOf(x *Matrix, workers int) string {
	return fmt.Sprint(x.Fingerprint(0, workers))
}
