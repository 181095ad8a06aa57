package ahead

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestPass: every byte is begun to be read once, before the pass comes to it.
func TestPass(t *testing.T) {
	for _, size := range []int{0, 1, 1000, distance - 1, distance, 3*distance + 17} {
		for _, block := range []int{distance / 5, distance + 1, 4 * distance} {
			bytes := make([]byte, size)
			begun := 0
			r := Reader(func(b []byte) {
				assert.Same(t, &bytes[begun], &b[0])
				begun += len(b)
			})
			for from := 0; from < size; from += block {
				to := min(from+block, size)
				r.Pass(bytes, from, to)
				assert.GreaterOrEqual(t, begun, to)
			}
			assert.Equal(t, size, begun)
		}
	}
	Reader(nil).Pass(make([]byte, 10), 0, 10)
}
