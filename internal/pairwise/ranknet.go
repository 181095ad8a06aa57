package pairwise

import (
	"slices"
	"sort"

	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// RankNet sums the logistic loss over pairs of documents of different labels:
//
//	L = log(1 + e^(-σ (s_high - s_low))),  ∂L/∂s_low = -∂L/∂s_high = σ ρ,
//	ρ = 1 / (1 + e^(σ (s_high - s_low)))
//
// (Burges et al., Learning to rank using gradient descent, ICML 2005, equation 3 where the target
// probability is 1; MSR-TR-2010-82, section 2.) Documents are in places by descending label, so
// that the low documents of a high one are all that follow from some place on:
//
//	place   0  1  2  3  4  5
//	label   4  4  2  1  1  1
//	below   2  2  3  6  6  6    first place of a lower label
//	before  0  4  8 11 11 11 11 pairs whose high document has an earlier place
//
// Its memory is reused from query to query.
type RankNet struct {
	Sigma float64 // steepness σ, above 0
	Stop  Stop    // ends All early

	order  []int32   // index of the document at each place
	below  []int     // by place
	before []int     // by place, and for the place after the last: the number of all pairs
	odds   []float64 // by place
	slope  []float64 // derivative of the loss by the score, by place
}

// Arrange begins a query: it sorts the documents by label and sets derivatives to 0.
func (r *RankNet) Arrange(labels []float64) {
	n := len(labels)
	r.order = Descending(r.order, labels)
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

// NumPairs returns the number of pairs of the query.
func (r *RankNet) NumPairs() int { return r.before[len(r.order)] }

// Slopes writes the derivatives by index.
func (r *RankNet) Slopes(dst []float64) {
	for place, index := range r.order {
		dst[index] = r.slope[place]
	}
}

// All adds up all pairs at the given scores (by index). There must be at least one pair. It sets the
// derivatives of the mean loss, and returns that loss.
func (r *RankNet) All(scores []float64) float64 {
	if Distant(r.Sigma, slices.Max(scores)-slices.Min(scores)) {
		return r.oneByOne(scores)
	}
	return r.byOdds(scores)
}

// byOdds adds up all pairs with one exponential per document instead of one per pair: with e the odds,
// ρ = e_low / (e_high + e_low), and the loss is the logarithm of (e_high + e_low) / e_high.
// Logarithms are taken of products of many sums.
func (r *RankNet) byOdds(scores []float64) float64 {
	n := len(r.order)
	r.odds = reuse.Slice(r.odds, n)
	largest := slices.Max(scores)
	for place, index := range r.order {
		r.odds[place] = oddsOf(r.Sigma, scores[index], largest)
	}
	loss := 0.0
	product := 1.0
	pairs := float64(r.before[n])
	for place := range n {
		if r.Stop.At(place, n) {
			break
		}
		high, sum := r.odds[place], 0.0
		lows, slopes := r.odds[r.below[place]:], r.slope[r.below[place]:]
		slopes = slopes[:len(lows)]
		for i, low := range lows {
			both := high + low
			rho := low / both
			slopes[i] += rho
			sum += rho
			if product *= both; product < 1e-150 || product > 1e150 {
				loss += exact.Ln(product)
				product = 1
			}
		}
		r.slope[place] -= sum
		loss -= float64(float64(len(lows)) * float64(r.Sigma*(scores[r.order[place]]-largest)))
	}
	for place := range r.slope {
		r.slope[place] *= r.Sigma / pairs
	}
	return (loss + exact.Ln(product)) / pairs
}

// oneByOne adds up all pairs for scores of any difference. byOdds is tested against it.
func (r *RankNet) oneByOne(scores []float64) float64 {
	n := len(r.order)
	share, loss := 1/float64(r.before[n]), 0.0
	for high := range n {
		if r.Stop.At(high, n) {
			break
		}
		for low := r.below[high]; low < n; low++ {
			loss += r.add(high, low, scores, share)
		}
	}
	return float64(loss * share)
}

// Add adds the derivatives of one pair, multiplied by share, and returns its loss. Pairs are numbered from 0
// by their high document, then by their low one.
func (r *RankNet) Add(pair int, scores []float64, share float64) float64 {
	high := sort.SearchInts(r.before, pair+1) - 1
	return r.add(high, r.below[high]+pair-r.before[high], scores, share)
}

// add is like Add, of the pair at two places.
func (r *RankNet) add(high, low int, scores []float64, share float64) float64 {
	gap := float64(r.Sigma * (scores[r.order[high]] - scores[r.order[low]]))
	rho, loss := Logistic(-gap)
	slope := float64(float64(r.Sigma*share) * rho)
	r.slope[high] -= slope
	r.slope[low] += slope
	return loss
}
