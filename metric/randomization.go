package metric

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/random"
)

// mostExchanges is the largest number of differences for which all combinations of signs are tried.
const mostExchanges = 20

// trialBlock is the number of trials that a worker does at a time.
const trialBlock = 256

// slack is the relative rounding error within which a sum still counts as large as the observed one.
const slack = 1e-12

// randomization performs Fisher's test on at least one difference: if the rankers are equally good, the two
// values of each query may be exchanged, whatever its weight. Its statistic is their mean. P is the share of
// combinations of signs whose mean is at least as far from 0. For up to 20 differences all combinations are
// tried, and for more, o.Trials random ones and the observed one (B. Phipson and G. K. Smyth, Permutation
// p-values should never be zero, Statistical Applications in Genetics and Molecular Biology 9, 2010).
func (s Sample) randomization(o TestOptions) Test {
	d, sum, size := make([]float64, len(s.Values)), 0.0, 0.0
	for i, x := range s.Values {
		d[i] = float64(s.weight(i) * x)
		sum += d[i]
		size += math.Abs(d[i])
	}
	limit := math.Abs(sum) - float64(slack*size)
	t := Test{Statistic: s.Mean()}
	if len(d) <= mostExchanges {
		t.P = exchangeAll(d, limit)
	} else {
		t.P = exchangeSome(d, limit, o)
	}
	return t
}

// exchangeAll tries all combinations of signs and returns the share of those whose sum is at least
// limit away from 0.
func exchangeAll(d []float64, limit float64) float64 {
	extreme := 0
	for signs := range uint64(1) << len(d) {
		if math.Abs(signedSum(d, signs)) >= limit {
			extreme++
		}
	}
	return math.Ldexp(float64(extreme), -len(d))
}

// signedSum returns the sum of d after negating each d[i] for which bit i of signs is set. len(d) <= 64.
func signedSum(d []float64, signs uint64) float64 {
	sum := 0.0
	for _, x := range d {
		sum += math.Float64frombits(math.Float64bits(x) ^ signs<<63)
		signs >>= 1
	}
	return sum
}

// exchangeSome is like exchangeAll, for random combinations. Counts are integers, so the order in which
// workers finish does not matter.
func exchangeSome(d []float64, limit float64, o TestOptions) float64 {
	pool := par.New(o.Workers)
	defer pool.Close()
	extreme := make([]int, pool.Workers())
	pool.Blocks(o.Trials, trialBlock, func(worker, from, to int) {
		for trial := from; trial < to; trial++ {
			key := random.New(o.Seed, random.SignFlip, trial)
			sum := 0.0
			for first := 0; first < len(d); first += 64 {
				sum += signedSum(d[first:min(first+64, len(d))], key.Uint64(first/64))
			}
			if math.Abs(sum) >= limit {
				extreme[worker]++
			}
		}
	})
	total := 1 // the observed one
	for _, n := range extreme {
		total += n
	}
	return float64(total) / float64(o.Trials+1)
}
