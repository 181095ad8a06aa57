package objective

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/exact"
)

// pairs adds all pairs to the sums of their documents, straight by the formulas
// of [LambdaRank], and returns S, the sum of |λ| over both documents of all
// pairs. Places are ranks. It is the oracle of groupedPairs, and takes its part
// where scores are too far apart.
func (l *LambdaRank) pairs(r *ranked, inverseMax float64) float64 {
	n := len(r.index)
	byGap := l.ScoreGapNorm && r.scores[0] != r.scores[n-1]
	sum := 0.0
	for i := range min(l.Truncation, n-1) {
		for j := i + 1; j < n; j++ {
			if r.grade[i] == r.grade[j] {
				continue
			}
			high, low := i, j
			if r.grade[i] < r.grade[j] {
				high, low = j, i
			}
			ds := r.scores[high] - r.scores[low]
			delta := (r.gain[high] - r.gain[low]) * math.Abs(r.discount[i]-r.discount[j]) * inverseMax
			if byGap {
				delta /= scoreGapOffset + math.Abs(ds)
			}
			rho := 1 / (1 + exact.Exp(float64(l.Sigma*ds)))
			lambda := float64(l.Sigma * delta * rho)
			hessian := float64(l.Sigma * lambda * (1 - rho))
			r.lambda[high] -= lambda
			r.lambda[low] += lambda
			r.hessian[high] += hessian
			r.hessian[low] += hessian
			sum += float64(2 * lambda)
		}
	}
	return sum
}

// maxRange bounds σ·(largest score - smallest score) for groupedPairs: the
// square of the smallest odds, e^-600, is still a normal number.
const maxRange = 300

// groupedPairs is pairs for documents that are grouped by grade. It differs from
// it in rounding only.
//
// Documents of equal grade are never met, and the document of higher grade is
// known outside of the inner loop. One exponential a document, e = exp(σ·s),
// replaces one a pair:
//
//	rho = e_low / (e_high + e_low),  1 - rho = e_high / (e_high + e_low)
//
// and one division gives both derivatives of a pair:
//
//	w = σ·Δgain/maxDCG · Δdiscount / ((e_high + e_low)²·gap)
//	λ = w·e_low·(e_high + e_low),  h = σ·w·e_low·e_high
//
// where gap = 0.01 + |ds|, or 1 without ScoreGapNorm. The factor σ of the
// Hessians comes last, in [LambdaRank.Gradients].
func (l *LambdaRank) groupedPairs(r *ranked, inverseMax float64) float64 {
	n := len(r.index)
	offset := scoreGapOffset
	if !l.ScoreGapNorm || r.score[0] == r.score[n-1] {
		offset = 1
		clear(r.scores) // so that |ds| is 0
	}
	sum := 0.0
	for rank := range min(l.Truncation, n-1) {
		at := r.placeOf[rank]
		own := r.grade[at]
		r.next[own]++
		for grade := range r.next {
			from, to := r.next[grade], r.end[grade]
			if int32(grade) == own || from == to {
				continue
			}
			c := l.Sigma * (r.gain[at] - r.gain[from]) * inverseMax
			if int32(grade) < own {
				sum += r.pairsBelow(at, from, to, c, offset)
			} else {
				sum += r.pairsAbove(at, from, to, -c, offset)
			}
		}
	}
	return 2 * sum
}

// pairsBelow adds the pairs of the document at place i with those at places
// [from, to), which are of one lower grade and ranked below it. It returns the
// sum of their |λ|.
func (r *ranked) pairsBelow(i, from, to int32, c, offset float64) float64 {
	odds := r.odds[from:to]
	n := len(odds)
	scores, discount := r.scores[from:to][:n], r.discount[from:to][:n]
	lambda, hessian := r.lambda[from:to][:n], r.hessian[from:to][:n]
	oddsI, scoreI, discountI := r.odds[i], r.scores[i], r.discount[i]
	sumLambda, sumHessian := 0.0, 0.0
	for j, oddsJ := range odds {
		both := oddsI + oddsJ
		gap := offset + math.Abs(scoreI-scores[j])
		w := float64(c*(discountI-discount[j])) / float64(float64(both*both)*gap)
		low := float64(w * oddsJ)
		x, y := float64(low*both), float64(low*oddsI)
		lambda[j] += x
		hessian[j] += y
		sumLambda += x
		sumHessian += y
	}
	r.lambda[i] -= sumLambda
	r.hessian[i] += sumHessian
	return sumLambda
}

// pairsAbove is pairsBelow for documents of one higher grade. One loop for both
// needs more constants than there are registers, and took a third longer.
func (r *ranked) pairsAbove(i, from, to int32, c, offset float64) float64 {
	odds := r.odds[from:to]
	n := len(odds)
	scores, discount := r.scores[from:to][:n], r.discount[from:to][:n]
	lambda, hessian := r.lambda[from:to][:n], r.hessian[from:to][:n]
	oddsI, scoreI, discountI := r.odds[i], r.scores[i], r.discount[i]
	sumLambda, sumHessian := 0.0, 0.0
	for j, oddsJ := range odds {
		both := oddsI + oddsJ
		gap := offset + math.Abs(scoreI-scores[j])
		w := float64(c*(discountI-discount[j])) / float64(float64(both*both)*gap)
		low := float64(w * oddsI)
		x, y := float64(low*both), float64(low*oddsJ)
		lambda[j] -= x
		hessian[j] += y
		sumLambda += x
		sumHessian += y
	}
	r.lambda[i] += sumLambda
	r.hessian[i] += sumHessian
	return sumLambda
}
