package threshold

import "math"

// Rounded returns the threshold t that makes a model do what an engine does that
// rounds values to float32 before it compares them: for every float64 x,
// x <= t if and only if fl32(x) <= f. AtMost(Rounded(f)) is f. f is not NaN.
//
// t is the middle between f and the next float32, or the float64 below it: what
// lies in the middle is rounded to the one of the two that is even.
func Rounded(f float32) float64 {
	const beyond = math.MaxFloat32 + 0x1p103 // the smallest number that is rounded to +Inf
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
