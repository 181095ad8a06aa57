package threshold

import "math"

// Rounded returns the threshold t for which a model decides like an engine that rounds values to float32
// before it compares them: for every float64 x, x <= t if and only if fl32(x) <= f. AtMost(Rounded(f)) is f.
// f must not be NaN.
//
// t is the midpoint between f and the next float32, or the float64 just below it, because the midpoint itself
// is rounded to the number whose last bit is 0.
func Rounded(f float32) float64 {
	const beyond = math.MaxFloat32 + 0x1p103 // the smallest number that rounds to +Inf
	middle := (float64(f) + float64(next32(f, 1))) / 2
	switch {
	case math.IsInf(float64(f), 1):
		return float64(f)
	case math.IsInf(float64(f), -1):
		return -beyond
	case f == math.MaxFloat32:
		middle = beyond
	}
	if math.Float32bits(f)&1 == 1 {
		return math.Nextafter(middle, math.Inf(-1))
	}
	return middle
}
