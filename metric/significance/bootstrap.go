package significance

import (
	"math"
	"math/bits"
	"slices"

	"github.com/lambdamart/lambdamart/internal/keyed"
	"github.com/lambdamart/lambdamart/internal/par"
)

// Interval is an interval that holds a mean with the probability of its level.
type Interval struct{ Low, High float64 }

// Bootstrap returns the interval of the mean of x by the accelerated and bias-
// corrected percentile method (BCa; B. Efron, Better bootstrap confidence
// intervals, JASA 82, 1987). x has at least one number and no NaN; if all are
// equal, the interval is that number.
func Bootstrap(x []float64, o Options) Interval {
	if slices.Min(x) == slices.Max(x) {
		return Interval{x[0], x[0]}
	}
	means := make([]float64, o.Resamples)
	pool := par.New(o.Workers)
	defer pool.Close()
	pool.Blocks(o.Resamples, trialBlock, func(_, from, to int) {
		for i := from; i < to; i++ {
			means[i] = resampledMean(x, keyed.New(o.Seed, keyed.Resample, i))
		}
	})
	slices.Sort(means)
	return bca(means, x, o.Level)
}

// resampledMean is the mean of len(x) numbers drawn from x, each any of them.
func resampledMean(x []float64, key keyed.Key) float64 {
	sum := 0.0
	for place := range x {
		drawn, _ := bits.Mul64(key.Uint64(place), uint64(len(x))) // len(x) times a fraction of 2^64
		sum += x[drawn]
	}
	return sum / float64(len(x))
}

// bca takes the quantiles of sorted means that Efron's equation 6.8 names: with z
// the quantile of the normal distribution, those at Φ(z₀ + (z₀+z)/(1 - a(z₀+z))).
// z₀ is the bias: the normal quantile of the share of means below that of x,
// half of those equal to it. a is the acceleration, a sixth of the skewness of x's
// jackknife, which for a mean is that of x over sqrt(len(x)).
func bca(means, x []float64, level float64) Interval {
	bias := normalQuantile(shareBelow(means, mean(x)))
	a := acceleration(x)
	at := func(p float64) float64 {
		z := bias + normalQuantile(p)
		return quantile(means, normal(bias+z/(1-float64(a*z))))
	}
	return Interval{at((1 - level) / 2), at((1 + level) / 2)}
}

// shareBelow is the share of sorted numbers below m, half of those counted that
// equal it up to rounding.
func shareBelow(sorted []float64, m float64) float64 {
	noise := float64(slack * max(math.Abs(sorted[0]), math.Abs(sorted[len(sorted)-1])))
	below, _ := slices.BinarySearch(sorted, m-noise)
	above, _ := slices.BinarySearch(sorted, m+noise)
	return float64(below+above) / 2 / float64(len(sorted))
}

// acceleration is Σu³ / (6·(Σu²)^1.5) with u the deviations of x from its mean.
func acceleration(x []float64) float64 {
	m, squares, cubes := mean(x), 0.0, 0.0
	for _, v := range x {
		u := v - m
		squares += float64(u * u)
		cubes += float64(u * u * u)
	}
	return cubes / (6 * math.Pow(squares, 1.5))
}

// quantile interpolates linearly between sorted values, p = 0 being the first and
// 1 the last.
func quantile(sorted []float64, p float64) float64 {
	place := float64(min(max(p, 0), 1) * float64(len(sorted)-1))
	low := int(place)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + float64((place-float64(low))*(sorted[high]-sorted[low]))
}

// normal is the distribution function of the normal distribution.
func normal(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// normalQuantile is its inverse.
func normalQuantile(p float64) float64 { return float64(-math.Sqrt2 * math.Erfcinv(2*p)) }
