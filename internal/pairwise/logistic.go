package pairwise

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/exact"
)

// MaxRange bounds σ·(largest score - smallest score) for sums with one exponential per document: the
// square of the smallest odds, e^-600, is still a normal number.
const MaxRange = 300

// Distant reports whether scores that differ by spread are too far apart for sums with one exponential per
// document. It returns false for NaN, which any sum propagates.
func Distant(sigma, spread float64) bool { return sigma*spread > MaxRange }

// oddsOf returns exp(σ·(score - largest)). Of two documents, the one with odds e_low is ahead of the
// one with odds e_high with probability e_low / (e_high + e_low).
func oddsOf(sigma, score, largest float64) float64 {
	return exact.Exp(float64(sigma * (score - largest)))
}

// Logistic returns the sigmoid 1 / (1 + e^-x) and its antiderivative, the softplus log(1 + e^x). Both are
// computed from the same exponential, which cannot overflow.
func Logistic(x float64) (sigmoid, softplus float64) {
	if x < 0 {
		e := exact.Exp(x)
		return e / (1 + e), math.Log1p(e)
	}
	e := exact.Exp(-x)
	return 1 / (1 + e), x + math.Log1p(e)
}
