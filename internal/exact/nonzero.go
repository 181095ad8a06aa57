package exact

import (
	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// Nonzero returns, ascending, the indexes i at which x[i] or y[i] is not dithered to 0: at which
// ofX.Dither(x[i], r) or ofY.Dither(y[i], r), with r = key.Float64(i), is not 0. x and y have the same
// length. The result is in dst if it is large enough.
func Nonzero(dst []int32, x, y []float64, ofX, ofY Scale, key random.Key) []int32 {
	dst = reuse.Slice(dst, len(x))[:0]
	y = y[:len(x)]
	for i := range x {
		if r := key.Float64(i); !ofX.Vanishes(x[i], r) || !ofY.Vanishes(y[i], r) {
			dst = append(dst, int32(i))
		}
	}
	return dst
}
