package fingerprint

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFingerprintsOfDifferentDataDiffer(t *testing.T) {
	values := make([]float64, 3*chunk/2)
	of := func(parts, workers int) string {
		size := len(values) / parts
		return Of(parts, workers, func(h *Hash, n int) { h.Float64s(values[n*size:][:size]) })
	}
	zero := of(3, 1)
	assert.Len(t, zero, 32)
	assert.Equal(t, zero, of(3, 4))
	seen := map[string]bool{zero: true}
	for _, at := range []int{0, chunk - 1, chunk, len(values) - 1} {
		values[at] = 1
		sum := of(3, 2)
		assert.False(t, seen[sum], at)
		seen[sum], values[at] = true, 0
	}
	text := func(texts ...string) string {
		return Of(1, 1, func(h *Hash, _ int) {
			for _, s := range texts {
				h.Text(s)
			}
		})
	}
	assert.NotEqual(t, text("ab", "c"), text("a", "bc"))
	single := func(v float32) string {
		return Of(1, 1, func(h *Hash, _ int) { h.Float32s([]float32{v}); h.Bytes([]byte{1}) })
	}
	assert.NotEqual(t, single(0), single(1))
}
