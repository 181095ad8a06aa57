package nnbaseline

import (
	"math/bits"
	"slices"
	"sort"

	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/internal/keyed"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// rankNet is the mean, over pairs of a high and a low document by label, of
//
//	L = log(1 + e^(-σ (s_high - s_low))),  ∂L/∂s_low = -∂L/∂s_high = σ ρ,  ρ = 1 / (1 + e^(σ (s_high - s_low)))
//
// either over all pairs of a query, or over a number of them that each step draws
// anew, with replacement. (Burges et al., Learning to rank using gradient descent,
// ICML 2005, equation 3 where the target probability is 1; MSR-TR-2010-82, section 2.)
type rankNet struct {
	ordered
	sigma float64
	pairs int // drawn; 0: all
	seed  uint64

	order  []int32   // indexes by descending label
	below  []int     // by place in order: first place of a lower label
	before []int     // by place: pairs whose high document has a place before
	power  []float64 // e^(σ (s - largest s)), by place
	slope  []float64 // by place
}

func (r *rankNet) of(dst []float64, q query, scores []float64) float64 {
	r.arrange(q.labels)
	var loss float64
	switch spread := slices.Max(scores) - slices.Min(scores); {
	case r.pairs > 0:
		loss = r.some(q, scores)
	case r.sigma*spread > powerRange: // not for NaN, which the sums carry on
		loss = r.each(scores)
	default:
		loss = r.all(scores)
	}
	for place, index := range r.order {
		dst[index] = r.slope[place]
	}
	return loss
}

// arrange sorts documents by label.
func (r *rankNet) arrange(labels []float64) {
	n := len(labels)
	r.order = descending(r.order, labels)
	r.below, r.before, r.slope = reuse.Slice(r.below, n), reuse.Slice(r.before, n+1), reuse.Slice(r.slope, n)
	clear(r.slope)
	for place := n - 1; place >= 0; place-- {
		switch {
		case place == n-1:
			r.below[place] = n
		case labels[r.order[place]] == labels[r.order[place+1]]:
			r.below[place] = r.below[place+1]
		default:
			r.below[place] = place + 1
		}
	}
	r.before[0] = 0
	for place := range n {
		r.before[place+1] = r.before[place] + n - r.below[place]
	}
}

// powerRange bounds σ times the difference of scores for which sums of powers are
// sound: e^-300 squared is still a normal number.
const powerRange = 300

// all adds up all pairs, with one power a document instead of one a pair: for E =
// e^(σ(s - largest)), ρ = E_low / (E_high + E_low), and the loss is the logarithm of
// (E_high + E_low) / E_high. Logarithms are taken of products.
func (r *rankNet) all(scores []float64) float64 {
	n := len(r.order)
	r.power = reuse.Slice(r.power, n)
	largest := slices.Max(scores)
	for place, index := range r.order {
		r.power[place] = exact.Exp(float64(r.sigma * (scores[index] - largest)))
	}
	loss := 0.0
	product := 1.0
	pairs := float64(r.before[n])
	for place := range n {
		high, sum := r.power[place], 0.0
		lows, slopes := r.power[r.below[place]:], r.slope[r.below[place]:]
		slopes = slopes[:len(lows)]
		for i, low := range lows {
			both := high + low
			rho := low / both
			slopes[i] += rho
			sum += rho
			if product *= both; product < 1e-150 || product > 1e150 {
				loss += ln(product)
				product = 1
			}
		}
		r.slope[place] -= sum
		loss -= float64(float64(len(lows)) * float64(r.sigma*(scores[r.order[place]]-largest)))
	}
	for place := range r.slope {
		r.slope[place] *= r.sigma / pairs
	}
	return (loss + ln(product)) / pairs
}

// each adds up all pairs one by one, for scores of any difference.
func (r *rankNet) each(scores []float64) float64 {
	n := len(r.order)
	share, loss := 1/float64(r.before[n]), 0.0
	for high := range n {
		for low := r.below[high]; low < n; low++ {
			loss += r.pair(high, low, scores, share)
		}
	}
	return float64(loss * share)
}

// pair adds the derivatives of one pair, times share, and returns its loss.
func (r *rankNet) pair(high, low int, scores []float64, share float64) float64 {
	gap := float64(r.sigma * (scores[r.order[high]] - scores[r.order[low]]))
	slope := float64(float64(r.sigma*share) * sigmoid(-gap))
	r.slope[high] -= slope
	r.slope[low] += slope
	return softplus(-gap)
}

// some adds up pairs that are drawn: of all pairs, numbered by their high document
// and then by their low one, each is as likely as any other.
func (r *rankNet) some(q query, scores []float64) float64 {
	n := len(r.order)
	key := keyed.New(r.seed, keyed.DocumentPair, q.step)
	share, loss := 1/float64(r.pairs), 0.0
	for draw := range r.pairs {
		number, _ := bits.Mul64(key.Uint64(q.number<<32+draw), uint64(r.before[n]))
		high := sort.SearchInts(r.before, int(number)+1) - 1
		low := r.below[high] + int(number) - r.before[high]
		loss += r.pair(high, low, scores, share)
	}
	return float64(loss * share)
}
