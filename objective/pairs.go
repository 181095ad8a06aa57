package objective

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/exact"
)

// pairs sets dst to the sums over all pairs, normalized, but for weights. With one
// exponential a document, e = exp(σ·s), instead of one a pair,
//
//	rho = e_low / (e_high + e_low),  1 - rho = e_high / (e_high + e_low)
//
// so that package pairwise finds λ/σ and h/σ² with one division a pair.
func (l *LambdaRank) pairs(dst Gradients, r *ranked, gains []float64) {
	r.documents.Fill(r.score, r.order, gains, l.discount, l.params.Sigmoid)
	offset := scoreGapOffset
	if !l.params.LambdarankScoreGapNorm || r.score[0] == r.score[len(r.score)-1] {
		offset = 1
		r.documents.ForgetScores()
	}
	sum := float64(2 * l.params.Sigmoid * r.documents.Pairs(l.params.LambdarankTruncationLevel, offset))
	factor := l.params.Sigmoid * l.normalization(sum)
	r.documents.Derivatives(dst.Lambda, dst.Hessian, r.order, factor, l.params.Sigmoid*factor)
}

// distantPairs sets dst to the sums over all pairs, straight by the formulas of
// [LambdaRank] but for its normalization and weights, and returns S. It is the oracle
// of pairs, and takes its part where scores are too far apart.
func (l *LambdaRank) distantPairs(dst Gradients, r *ranked, gains []float64) (sum float64) {
	clear(dst.Lambda)
	clear(dst.Hessian)
	n := len(r.order)
	byGap := l.params.LambdarankScoreGapNorm && r.score[0] != r.score[n-1]
	for i := range min(l.params.LambdarankTruncationLevel, n-1) {
		for j := i + 1; j < n; j++ {
			high, low := r.order[i], r.order[j]
			ds, dGain := r.score[i]-r.score[j], gains[high]-gains[low]
			if dGain == 0 {
				continue
			}
			if dGain < 0 {
				high, low, ds, dGain = low, high, -ds, -dGain
			}
			delta := dGain * math.Abs(l.discount[i]-l.discount[j])
			if byGap {
				delta /= scoreGapOffset + math.Abs(ds)
			}
			rho := 1 / (1 + exact.Exp(float64(l.params.Sigmoid*ds)))
			lambda := float64(l.params.Sigmoid * delta * rho)
			hessian := float64(l.params.Sigmoid * lambda * (1 - rho))
			dst.Lambda[high] -= lambda
			dst.Lambda[low] += lambda
			dst.Hessian[high] += hessian
			dst.Hessian[low] += hessian
			sum += float64(2 * lambda)
		}
	}
	return sum
}
