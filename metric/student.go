package metric

import "math"

// studentT performs the paired t test on at least two differences. Its statistic is the mean over its
// standard error, with one degree of freedom less than the effective number of queries. If all differences
// are 0, P is 1; if they are equal and not 0, P is 0.
func (s Sample) studentT() Test {
	m := s.Mean()
	if m == 0 {
		return Test{0, 1}
	}
	t := m / s.StandardError()
	return Test{t, tTail(t, s.freedom())}
}

// welch tests whether the means of two samples of different queries are equal. Its statistic is the
// difference of the means, a's less b's, over the root of the sum of their squared standard errors (B. L.
// Welch, The generalization of Student's problem when several different population variances are involved,
// Biometrika 34, 1947). All results are NaN where a sample has fewer than two queries.
func welch(a, b Sample) Test {
	if len(a.Values) < 2 || len(b.Values) < 2 {
		return Test{math.NaN(), math.NaN()}
	}
	difference := a.Mean() - b.Mean()
	if difference == 0 {
		return Test{0, 1}
	}
	varianceA, varianceB := square(a.StandardError()), square(b.StandardError())
	variance := varianceA + varianceB
	freedom := square(variance) / (square(varianceA)/a.freedom() + square(varianceB)/b.freedom())
	if variance == 0 {
		freedom = 1 // of no importance
	}
	t := difference / math.Sqrt(variance)
	return Test{t, tTail(t, freedom)}
}

// tQuantile returns the t such that a share of 1 - level of the distribution lies beyond it, on both sides
// together.
func tQuantile(level, freedom float64) float64 {
	low, high := 0.0, 1.0
	for high < 1e9 && tTail(high, freedom) > 1-level {
		low, high = high, 2*high
	}
	for range 60 {
		if middle := (low + high) / 2; tTail(middle, freedom) > 1-level {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// tTail returns the probability that Student's t with the given degrees of freedom is at least |t|
// away from 0: I(f/(f+t²); f/2, 1/2) (Abramowitz and Stegun, 26.5.27).
func tTail(t, freedom float64) float64 {
	if math.IsInf(t, 0) {
		return 0
	}
	square := float64(t * t)
	return incompleteBeta(freedom/(freedom+square), square/(freedom+square), freedom/2, 0.5)
}

// incompleteBeta returns the regularized incomplete beta function I(x; a, b). y is 1 - x; the
// caller computes it so that no digits are lost.
func incompleteBeta(x, y, a, b float64) float64 {
	switch {
	case x <= 0:
		return 0
	case y <= 0:
		return 1
	case x > (a+1)/(a+b+2): // the continued fraction of the complement converges faster here
		return 1 - incompleteBeta(y, x, b, a)
	}
	lgammaAB, _ := math.Lgamma(a + b)
	lgammaA, _ := math.Lgamma(a)
	lgammaB, _ := math.Lgamma(b)
	front := math.Exp(lgammaAB - lgammaA - lgammaB + float64(a*math.Log(x)) + float64(b*math.Log(y)))
	return float64(front / a * betaFraction(x, a, b))
}

// betaFraction returns the continued fraction 1/(1 + d₁/(1 + d₂/(1 + …))) of the incomplete beta
// function (DLMF 8.17.22), evaluated from its far end. On this side of the mean it converges in a
// multiple of sqrt(max(a, b)) terms.
func betaFraction(x, a, b float64) float64 {
	terms := 2 * (50 + int(2*math.Sqrt(max(a, b))))
	f := 1.0
	for n := terms; n > 0; n-- {
		m := float64(n / 2)
		d := -(a + m) * (a + b + m) / ((a + 2*m) * (a + 2*m + 1)) // of odd n = 2m+1
		if n%2 == 0 {
			d = m * (b - m) / ((a + 2*m - 1) * (a + 2*m))
		}
		f = 1 + d*x/f
	}
	return 1 / f
}
