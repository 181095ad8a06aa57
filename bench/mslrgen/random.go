package main

import (
	"math"
	"math/rand/v2"

	"github.com/lambdamart/lambdamart/internal/exact"
)

// random draws from the distributions that the simulation needs. The generators of math/rand/v2 are
// specified to the bit. Its NormFloat64 is not used because it calls math.Exp and math.Log, which
// differ between CPUs.
type random struct{ pcg *rand.PCG }

// newRandom returns the generator of one query. Each query has its own, so one more document in a query does
// not change the next query.
func newRandom(seed uint64, query int) random {
	return random{rand.NewPCG(seed, uint64(query))}
}

// uniform draws from [0, 1).
func (r random) uniform() float64 { return float64(r.pcg.Uint64()>>11) * 0x1p-53 }

// normal draws from the standard normal distribution by Marsaglia's polar method (Marsaglia and Bray,
// A convenient method for generating normal variables, SIAM Review 6, 1964).
func (r random) normal() float64 {
	for {
		u, v := 2*r.uniform()-1, 2*r.uniform()-1
		s := float64(u*u) + float64(v*v)
		if s > 0 && s < 1 {
			return u * math.Sqrt(-2*math.Ln2*exact.Log2(s)/s)
		}
	}
}

// logNormal draws from the log-normal distribution with the given median, whose logarithm has the
// standard deviation sigma.
func (r random) logNormal(median, sigma float64) float64 {
	return median * exact.Exp(sigma*r.normal())
}

// count draws from the Poisson distribution. If the mean is small, it multiplies uniform numbers until the
// product is below e^-mean (Knuth, The Art of Computer Programming, volume 2, 3.4.1); otherwise it rounds a
// normal number.
func (r random) count(mean float64) float64 {
	if mean > 40 {
		return max(0, math.Floor(mean+float64(math.Sqrt(mean)*r.normal())+0.5))
	}
	n := 0.0
	for p, limit := r.uniform(), exact.Exp(-mean); p > limit; p *= r.uniform() {
		n++
	}
	return n
}
