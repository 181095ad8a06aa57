package pairwise

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/exact"
)

// MaxRange bounds σ·(largest score - smallest score) for sums with one exponential a document: the
// square of the smallest odds, e^-600, is still a normal number.
const MaxRange = 300

// Distant reports whether scores that differ by spread are too far apart for sums with one
// exponential a document. It is false for NaN, which any sum carries on.
func Distant(sigma, spread float64) bool { return sigma*spread > MaxRange }

// oddsOf returns exp(σ·(score - largest)). Of two documents, the one with odds e_low is ahead of the
// one with odds e_high with probability e_low / (e_high + e_low).
func oddsOf(sigma, score, largest float64) float64 {
	return exact.Exp(float64(sigma * (score - largest)))
}

// Sigmoid returns 1 / (1 + e^-x), by the form that doesn't overflow.
func Sigmoid(x float64) float64 {
	if x < 0 {
		e := exact.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + exact.Exp(-x))
}

// Softplus returns log(1 + e^x), by the form that doesn't overflow.
func Softplus(x float64) float64 {
	if x > 0 {
		return x + math.Log1p(exact.Exp(-x))
	}
	return math.Log1p(exact.Exp(x))
}
