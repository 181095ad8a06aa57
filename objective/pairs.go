package objective

import (
	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/internal/pairwise"
)

// pairs sets dst to the sums over all pairs, normalized but not yet weighted. With one exponential per
// document, e = exp(σ·s), instead of one per pair,
//
//	rho = e_low / (e_high + e_low),  1 - rho = e_high / (e_high + e_low)
//
// so that package pairwise computes λ/σ and h/σ² with one division per pair.
func (l *lambdaRank) pairs(dst Gradients, r *ranked, gains []float64) {
	sigma := l.params.Sigmoid
	r.documents.Fill(r.Score, r.Order, gains, l.discount, sigma)
	offset := l.gapOffset(r.Tied())
	if offset == 0 {
		offset = 1
		r.documents.ForgetScores()
	}
	var sum float64
	if r.ties == nil {
		sum = r.documents.Pairs(l.params.LambdarankTruncationLevel, offset)
	} else {
		sum = r.ties.Pairs(&r.documents, l.params.LambdarankTruncationLevel, offset)
	}
	sum = float64(2 * sigma * sum)
	factor := sigma * l.normalization(sum)
	r.documents.Derivatives(dst.Lambda, dst.Hessian, r.Order, factor, sigma*factor)
}

// distantPairs sets dst to the sums over all pairs by the formulas of [lambdaRank], without its logarithmic
// norm and weights, and returns S. It replaces pairs if scores are too far apart, and tests compare pairs
// with it.
//
// It computes rho in another form than [pairwise.Logistic], which differs in the last bits. This form can
// overflow only to a rho of 0. It is kept so that models of data with such scores keep their bytes.
func (l *lambdaRank) distantPairs(dst Gradients, r *ranked, gains []float64) (sum float64) {
	clear(dst.Lambda)
	clear(dst.Hessian)
	sigma := l.params.Sigmoid
	swaps := pairwise.Swaps{
		Ranking: r.Ranking, Ties: r.ties, Gains: gains, Discounts: l.discount,
		Truncation: l.params.LambdarankTruncationLevel, Scale: 1, GapOffset: l.gapOffset(r.Tied()),
		Stop: r.documents.Stop,
	}
	for pair := range swaps.All {
		rho := 1 / (1 + exact.Exp(float64(sigma*pair.Gap)))
		lambda := float64(sigma * pair.Delta * rho)
		hessian := float64(sigma * lambda * (1 - rho))
		dst.Lambda[pair.High] -= lambda
		dst.Lambda[pair.Low] += lambda
		dst.Hessian[pair.High] += hessian
		dst.Hessian[pair.Low] += hessian
		sum += float64(2 * lambda)
	}
	return sum
}

// gapOffset returns what is added to the gap of two scores before a pair's weight is divided by it;
// 0 if weights are not divided, which those of a tied query never are ([pairwise.Ranking.Tied]).
func (l *lambdaRank) gapOffset(tied bool) float64 {
	if !l.params.LambdarankScoreGapNorm || tied {
		return 0
	}
	return scoreGapOffset
}
