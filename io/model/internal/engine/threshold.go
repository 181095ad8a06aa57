package engine

import (
	"math"

	"github.com/lambdamart/lambdamart/tree"
)

// This file converts the thresholds of a model for engines that compare differently, so that every
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

// NaNLeft reports whether a numeric split with decision d and threshold t sends NaN left. With
// [tree.MissingNone], NaN counts as 0.
func NaNLeft(d tree.Decision, t float64) bool {
	if d.Missing() == tree.MissingNone {
		return 0 <= t
	}
	return d&tree.DefaultLeft != 0
}

// IsPlain reports whether a numeric split sends every number except NaN left if and only if it is at most t.
// Other engines have only such splits. A split is not plain if it treats zeros as missing
// ([tree.MissingZero]) and sends them to the side opposite to the one that t gives.
func IsPlain(d tree.Decision, t float64) bool {
	if d.Missing() != tree.MissingZero {
		return true
	}
	if d&tree.DefaultLeft != 0 {
		return t >= tree.ZeroThreshold
	}
	return t < -tree.ZeroThreshold
}

// NaNIsZero reports whether a split sends NaN to the same side as 0, as engines do that replace absent values
// by 0.
func NaNIsZero(d tree.Decision, t float64) bool {
	return d.Missing() != tree.MissingNaN || NaNLeft(d, t) == (0 <= t)
}

// slack is the number that Solr adds to every threshold: NODE_SPLIT_SLACK of
// org.apache.solr.ltr.model.MultipleAdditiveTreesModel.
const slack float32 = 1e-6

// Slack returns the threshold y for which Solr cuts at t: for every float32 x, x <= fl32(y + 1e-6f) if and
// only if x <= t. t must not be NaN.
//
// Some cuts are impossible, because float32 is finer there than the sums y + 1e-6f: many up to 2e-6, and a
// few others. Then ok is false, and y gives the nearest possible cut on the same side of 0 as t, or the
// higher one of two equally near cuts. The float32 values between that cut and t go to the wrong side; 0 is
// not among them. [SlackCut] returns the cut.
func Slack(t float64) (y float32, ok bool) {
	f := AtMost(t)
	if y = f - slack; SlackCut(y) == f {
		return y, true
	}
	if SlackCut(y) > f {
		y = next32(y, -1)
	}
	low, high := SlackCut(y), SlackCut(next32(y, 1)) // f lies between them: this was tried for every float32
	switch {
	case low == f: // -2^-19 alone
		return y, true
	case float64(high)-t <= t-float64(low) && (t >= 0 || high < 0):
		return next32(y, 1), false
	}
	return y, false
}

// SlackCut returns fl32(y + 1e-6f), the number that Solr compares with: a value goes left if it is at most
// this number.
func SlackCut(y float32) float32 { return y + slack }
