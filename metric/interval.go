package metric

import (
	"math"
	"math/bits"
	"slices"

	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/random"
)

// Interval is a confidence interval of a mean.
type Interval struct{ Low, High float64 }

// widest is the largest ratio of an interval's width to that of Student's. It is needed because resamples of
// few queries often consist of one value only, and then their standard error of 0 is useless.
const widest = 1.5

// Interval returns the confidence interval of the mean at the level o.Level: mean ± q standard errors, where
// q is that quantile of |mean of a resample - mean| / standard error of the resample (the symmetric
// studentized bootstrap; P. Hall, On symmetric bootstrap confidence intervals, Journal of the Royal
// Statistical Society B 50, 1988). q is at least the quantile of Student's t, so that an interval without 0
// agrees with the t test, and at most 1.5 times that quantile. A resample consists of queries with their
// weights.
//
// With fewer than two queries there is no interval: its bounds are NaN. If all values are equal, it is that
// value. o must be valid. TestCoverage simulates how often an interval has the true mean.
func (s Sample) Interval(o TestOptions) Interval {
	m, deviation := s.Mean(), s.StandardError()
	switch {
	case len(s.Values) < 2:
		return Interval{math.NaN(), math.NaN()}
	case slices.Min(s.Values) == slices.Max(s.Values):
		return Interval{s.Values[0], s.Values[0]}
	}
	student := tQuantile(o.Level, s.freedom())
	reach := float64(min(max(s.quantile(o), student), float64(widest*student)) * deviation)
	if all := s.within; all != nil {
		return Interval{max(all.Low, m-reach), min(all.High, m+reach)}
	}
	return Interval{m - reach, m + reach}
}

// quantile returns the quantile of the studentized sizes of all resamples.
func (s Sample) quantile(o TestOptions) float64 {
	sizes := make([]float64, o.Resamples)
	pool := par.New(o.Workers)
	defer pool.Close()
	draws := make([]Sample, pool.Workers()) // memory
	m := s.Mean()
	pool.Blocks(o.Resamples, trialBlock, func(worker, from, to int) {
		for i := from; i < to; i++ {
			sizes[i] = s.resampled(random.New(o.Seed, random.Resample, i), m, &draws[worker])
		}
	})
	return levelOf(sizes, o.Level)
}

// levelOf returns a quantile of the sizes: the smallest size such that at least a share level of all sizes is
// not larger. It sorts the sizes.
func levelOf(sizes []float64, level float64) float64 {
	slices.Sort(sizes)
	place := int(math.Ceil(float64(level * float64(len(sizes)))))
	return sizes[min(max(place, 1), len(sizes))-1]
}

// resampled returns the distance between m, the mean of s, and the mean of len(s.Values) queries drawn with
// replacement, in standard errors of the latter.
func (s Sample) resampled(key random.Key, m float64, memory *Sample) float64 {
	if s.Weights != nil {
		memory.draw(s, key)
		return ratio(memory.Mean()-m, memory.StandardError())
	}
	n, sum, squares := len(s.Values), 0.0, 0.0
	for place := range n {
		u := s.Values[drawn(key, place, n)] - m
		sum += u
		squares += float64(u * u)
	}
	size := float64(n)
	variance := max(0, squares-float64(sum/size*sum)) / (size - 1)
	return ratio(sum/size, math.Sqrt(variance/size))
}

// draw makes d a resample of s.
func (d *Sample) draw(s Sample, key random.Key) {
	d.Values, d.Weights = d.Values[:0], d.Weights[:0]
	for place := range s.Values {
		i := drawn(key, place, len(s.Values))
		d.Values, d.Weights = append(d.Values, s.Values[i]), append(d.Weights, s.Weights[i])
	}
}

// drawn returns the index, below n, of the query at a place of a resample.
func drawn(key random.Key, place, n int) int {
	number, _ := bits.Mul64(key.Uint64(place), uint64(n)) // n times a fraction of 2^64
	return int(number)
}

// ratio returns the size of a difference in standard errors. It is infinite if the standard error is 0 and
// the difference is not.
func ratio(difference, deviation float64) float64 {
	if difference == 0 {
		return 0
	}
	return math.Abs(difference) / deviation
}
