package threshold

import "github.com/lambdamart/lambdamart/tree"

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
