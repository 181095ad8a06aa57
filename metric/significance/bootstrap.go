package significance

import (
	"math"
	"math/bits"
	"slices"

	"github.com/lambdamart/lambdamart/internal/keyed"
	"github.com/lambdamart/lambdamart/internal/par"
)

// Interval is a confidence interval of a mean.
type Interval struct{ Low, High float64 }

// Bootstrap returns the confidence interval of the mean of x at the level o.Level, by the
// bias-corrected and accelerated percentile method (BCa; B. Efron, Better bootstrap confidence
// intervals, JASA 82, 1987). x has at least one number and no NaN; if all are equal, the interval
// is that number. o must be valid.
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

// resampledMean returns the mean of len(x) numbers drawn from x with replacement.
func resampledMean(x []float64, key keyed.Key) float64 {
	sum := 0.0
	for place := range x {
		drawn, _ := bits.Mul64(key.Uint64(place), uint64(len(x))) // len(x) times a fraction of 2^64
		sum += x[drawn]
	}
	return sum / float64(len(x))
}

// bca returns the quantiles of sorted means that Efron's equation 6.8 names: those at Φ(z₀ +
// (z₀+z)/(1 - a(z₀+z))), where z is the normal quantile of a bound of the level. z₀ is the bias:
// the normal quantile of the share of means that are below that of x, where equal ones count half.
// a is the acceleration: a sixth of the skewness of the jackknife means of x, which is the skewness
// of x divided by sqrt(len(x)).
func bca(means, x []float64, level float64) Interval {
	bias := biasOf(means, Mean(x))
	a := acceleration(x)
	at := func(p float64) float64 {
		z := bias + normalQuantile(p)
		return quantile(means, normal(bias+z/(1-float64(a*z))))
	}
	return Interval{at((1 - level) / 2), at((1 + level) / 2)}
}

// biasOf returns the normal quantile of the share of the sorted means that are below m. That would
// be infinite where all means lie on one side of m, as a few may by chance: half a mean then counts
// as lying on the other side.
func biasOf(means []float64, m float64) float64 {
	share, least := shareBelow(means, m), 0.5/float64(len(means))
	switch share {
	case 0:
		share = least
	case 1:
		share = 1 - least
	}
	return normalQuantile(share)
}

// shareBelow returns the share of the sorted numbers that are below m, where those equal to m up to
// rounding count half.
func shareBelow(sorted []float64, m float64) float64 {
	noise := float64(slack * max(math.Abs(sorted[0]), math.Abs(sorted[len(sorted)-1])))
	below, _ := slices.BinarySearch(sorted, m-noise)
	above, _ := slices.BinarySearch(sorted, m+noise)
	return float64(below+above) / 2 / float64(len(sorted))
}

// acceleration returns Σu³ / (6·(Σu²)^1.5) with u the deviations of x from its mean.
func acceleration(x []float64) float64 {
	m, squares, cubes := Mean(x), 0.0, 0.0
	for _, v := range x {
		u := v - m
		squares += float64(u * u)
		cubes += float64(u * u * u)
	}
	if volume := math.Pow(squares, 1.5); volume > 0 {
		return cubes / (6 * volume)
	}
	return 0 // the deviations are so small that their squares vanish
}

// quantile interpolates linearly between sorted values; p = 0 is the first one and p = 1 the last.
func quantile(sorted []float64, p float64) float64 {
	place := float64(min(max(p, 0), 1) * float64(len(sorted)-1))
	low := int(place)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + float64((place-float64(low))*(sorted[high]-sorted[low]))
}

// normal is the cumulative distribution function of the normal distribution.
func normal(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// normalQuantile is its inverse.
func normalQuantile(p float64) float64 { return float64(-math.Sqrt2 * math.Erfcinv(2*p)) }
