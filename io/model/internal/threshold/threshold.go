// Package threshold converts the thresholds of a model for engines that compare differently, so that every
// value goes to the same side.
//
// A model sends x left if x <= t, where x and t are float64. An engine that stores values as float32 sees
// only float32 values, and may use another comparison. Let f be the largest float32 that is at most t. Then
// for every float32 x:
//
//	x <= t                                  is the rule of the model
//	x <= f                                  is equivalent (RankLib, ONNX): [AtMost]
//	x < c, c the next float32 above f       is equivalent (XGBoost): [Below]
//	x <= fl32(y + 1e-6f)                    is equivalent if fl32(y + 1e-6f) = f (Solr): [Slack]
//
// fl32 rounds to the nearest float32, ties to even. Rounding t itself to float32 would be wrong: half of all
// t would become larger, and a value equal to the rounded t would move from the right side to the left.
//
// [Rounded] converts in the other direction, for models made for such engines.
//
// [NaNLeft], [IsPlain] and [NaNIsZero] describe how a split treats missing values.
package threshold

import "math"

// AtMost returns the largest float32 that is at most t: for every float32 x,
// x <= AtMost(t) if and only if x <= t. t is not NaN.
func AtMost(t float64) float32 {
	f := float32(t)
	if float64(f) > t {
		return next32(f, -1)
	}
	return f
}

// Below returns the smallest float32 above t: for every float32 x,
// x < Below(t) if and only if x <= t. t is not NaN.
//
// If t is +Inf, there is no such number: Below returns +Inf and ok = false, and with that
// threshold x = +Inf goes right, although the model sends it left.
func Below(t float64) (c float32, ok bool) {
	if math.IsInf(t, 1) {
		return float32(t), false
	}
	return next32(AtMost(t), 1), true
}

// next32 returns the neighbor of f among float32 numbers in the direction of sign.
func next32(f float32, sign int) float32 {
	return math.Nextafter32(f, inf(sign))
}

func inf(sign int) float32 { return float32(math.Inf(sign)) }
