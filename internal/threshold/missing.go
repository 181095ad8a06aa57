package threshold

import "github.com/lambdamart/lambdamart/tree"

// NaNLeft tells whether a numeric split with decision d and threshold t sends
// NaN left. Every missing type has an answer: without one, NaN counts as 0.
func NaNLeft(d tree.Decision, t float64) bool {
	if d.Missing() == tree.MissingNone {
		return 0 <= t
	}
	return d&tree.DefaultLeft != 0
}

// IsPlain tells whether the numeric split sends every number, NaN aside, left
// if and only if it is at most t; engines hold no others. Not plain is a split
// that takes zeros for missing ([tree.MissingZero]) and sends them to the side
// where t would not.
func IsPlain(d tree.Decision, t float64) bool {
	if d.Missing() != tree.MissingZero {
		return true
	}
	if d&tree.DefaultLeft != 0 {
		return t >= tree.ZeroThreshold
	}
	return t < -tree.ZeroThreshold
}

// NaNIsZero tells whether the split sends NaN where it sends 0: what engines do
// that fill absent values with 0.
func NaNIsZero(d tree.Decision, t float64) bool {
	return d.Missing() != tree.MissingNaN || NaNLeft(d, t) == (0 <= t)
}
