package nnbaseline

import (
	"slices"

	"github.com/lambdamart/lambdamart/internal/reuse"
	"github.com/lambdamart/lambdamart/metric"
)

// lambdaRank is RankNet's loss with each pair weighted by how much nDCG would change
// if its two documents swapped ranks, the weights taken as constants:
//
//	L = Σ Δ · log(1 + e^(-σ (s_high - s_low))),  Δ = |(gain_high - gain_low) · (discount_high - discount_low)| / maxDCG
//
// over the pairs of different labels of which one is among the first ranks, as many
// as the truncation says; maxDCG is that of the same ranks. Equal scores rank in file
// order. Trees have the same lambdas, where their normalizations are off (package
// objective). (Burges, From RankNet to LambdaRank to LambdaMART, MSR-TR-2010-82,
// section 3.)
type lambdaRank struct {
	ordered
	sigma      float64
	truncation int
	gain       metric.Gain

	discounts log2Discounts
	order     []int32   // indexes by descending score
	gains     []float64 // by index
	sorted    []float64 // gains, the largest first
}

func (l *lambdaRank) of(dst []float64, q query, scores []float64) float64 {
	clear(dst)
	inverse := l.arrange(q.labels, scores)
	if inverse == 0 {
		return 0 // no document is worth anything
	}
	loss := 0.0
	for first := range min(l.truncation, len(l.order)) {
		for second := first + 1; second < len(l.order); second++ {
			high, low := l.order[first], l.order[second]
			if l.gains[high] == l.gains[low] {
				continue
			}
			if l.gains[high] < l.gains[low] {
				high, low = low, high
			}
			delta := (l.gains[high] - l.gains[low]) * (l.discounts[first] - l.discounts[second]) * inverse
			gap := float64(l.sigma * (scores[high] - scores[low]))
			slope := float64(float64(l.sigma*delta) * sigmoid(-gap))
			dst[high] -= slope
			dst[low] += slope
			loss += float64(delta * softplus(-gap))
		}
	}
	return loss
}

// arrange ranks the documents, and returns 1/maxDCG, or 0 where maxDCG is 0.
func (l *lambdaRank) arrange(labels, scores []float64) float64 {
	n := len(labels)
	l.discounts.upTo(n)
	l.order = descending(l.order, scores)
	l.gains = reuse.Slice(l.gains, n)
	for i, label := range labels {
		l.gains[i] = l.gain.Of(label)
	}
	l.sorted = append(l.sorted[:0], l.gains...)
	slices.Sort(l.sorted)
	best := 0.0
	for rank := range min(l.truncation, n) {
		best += float64(l.sorted[n-1-rank] * l.discounts[rank])
	}
	if best == 0 {
		return 0
	}
	return 1 / best
}
