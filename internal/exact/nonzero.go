package exact

import (
	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// lanes is the number of values in a vector register.
const lanes = 8

// Nonzero returns, ascending, the indexes i at which x[i] or y[i] is not dithered to 0: at which
// ofX.Dither(x[i], r) or ofY.Dither(y[i], r), with r = key.Float64(i), is not 0. x and y have the same
// length. The result is in dst if it is large enough.
func Nonzero(dst []int32, x, y []float64, ofX, ofY Scale, key random.Key) []int32 {
	dst = reuse.Slice(dst, len(x)+lanes)
	done := len(x) &^ (lanes - 1)
	found := nonzeroInVectors(dst, x[:done], y[:done], ofX, ofY, key)
	if found < 0 {
		done, found = 0, 0
	}
	return nonzeroInGo(dst[:found], done, x, y, ofX, ofY, key)
}

// nonzeroInGo is like Nonzero, for the indexes that are at least from. It appends them to dst.
func nonzeroInGo(dst []int32, from int, x, y []float64, ofX, ofY Scale, key random.Key) []int32 {
	y = y[:len(x)]
	for i := from; i < len(x); i++ {
		if r := key.Float64(i); !ofX.Vanishes(x[i], r) || !ofY.Vanishes(y[i], r) {
			dst = append(dst, int32(i))
		}
	}
	return dst
}
