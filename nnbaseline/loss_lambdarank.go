package nnbaseline

import (
	"github.com/lambdamart/lambdamart/internal/pairwise"
	"github.com/lambdamart/lambdamart/internal/reuse"
	"github.com/lambdamart/lambdamart/metric"
)

// lambdaRank is RankNet's loss with each pair weighted by how much nDCG would change if its two
// documents swapped ranks, the weights taken as constants:
//
//	L = Σ Δ · log(1 + e^(-σ (s_high - s_low))),
//	Δ = |(gain_high - gain_low) · (discount_high - discount_low)| / maxDCG
//
// over the pairs of documents with different gains, one of them among the first ranks, as many as the
// truncation level; maxDCG is the largest DCG of these ranks. Equal scores rank in file order. Trees have the
// same lambdas if their normalizations are off (package objective): both go through [pairwise.Swaps]. Trees
// do not need the value of the loss, and compute lambdas faster, with sums that differ in the last bits.
// (Burges, From RankNet to LambdaRank to LambdaMART, MSR-TR-2010-82, section 3.)
type lambdaRank struct {
	ordered
	sigma      float64
	truncation int
	gain       metric.Gain

	dcg   pairwise.DCG
	swaps pairwise.Swaps
}

func (l *lambdaRank) of(dst []float64, q query, scores []float64) float64 {
	clear(dst)
	l.arrange(q.labels, scores)
	l.swaps.Stop = q.stop
	if l.swaps.Scale == 0 {
		return 0 // no document has a gain
	}
	loss := 0.0
	for pair := range l.swaps.All {
		rho, pairLoss := pairwise.Logistic(-float64(l.sigma * pair.Gap))
		slope := float64(float64(l.sigma*pair.Delta) * rho)
		dst[pair.High] -= slope
		dst[pair.Low] += slope
		loss += float64(pair.Delta * pairLoss)
	}
	return loss
}

// arrange ranks the documents and finds their gains.
func (l *lambdaRank) arrange(labels, scores []float64) {
	s := &l.swaps
	s.RankAnew(scores)
	s.Gains = reuse.Slice(s.Gains, len(labels))
	for i, label := range labels {
		s.Gains[i] = l.gain.Of(label)
	}
	s.Truncation, s.Discounts, s.Scale = l.truncation, l.dcg.Discounts(len(labels)), l.dcg.InverseIdeal(s.Gains,
		l.truncation)
}
