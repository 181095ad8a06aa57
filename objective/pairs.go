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
//	q = 1 / ((e_high + e_low)²·gap),  gap = 0.01 + |ds|, or 1 without ScoreGapNorm
//	λ = σ·Δgain·Δdiscount/maxDCG · e_low·(e_high + e_low)·q
//	h = σ²·Δgain·Δdiscount/maxDCG · e_low·e_high·q
func (l *LambdaRank) groupedPairs(r *ranked, inverseMax float64) float64 {
	n := len(r.index)
	gap := gapNorm{offset: 1}
	if l.ScoreGapNorm && r.score[0] != r.score[n-1] {
		gap = gapNorm{scoreGapOffset, 1}
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
			x, y := r.pairsWith(at, from, to, int32(grade) < own, c, math.Abs(c)*l.Sigma, gap)
			r.lambda[at] -= float64(c * x)
			r.hessian[at] += float64(math.Abs(c) * l.Sigma * y)
			sum += float64(2 * math.Abs(c) * x)
		}
	}
	return sum
}

// gapNorm is the factor offset + slope·|ds| in the denominator of a pair.
type gapNorm struct{ offset, slope float64 }

// pairsWith adds the pairs of the document at place i with those at places
// [from, to), which are of one other grade and ranked below it. It adds each
// pair's λ, c·x, and Hessian, d·y, to the other document, and returns the sums of
// x and of y for document i. high tells that document i has the higher grade.
func (r *ranked) pairsWith(i, from, to int32, high bool, c, d float64, gap gapNorm) (sumX, sumY float64) {
	odds := r.odds[from:to]
	n := len(odds)
	scores, discount := r.scores[from:to][:n], r.discount[from:to][:n]
	lambda, hessian := r.lambda[from:to][:n], r.hessian[from:to][:n]
	oddsI, scoreI, discountI := r.odds[i], r.scores[i], r.discount[i]
	// The odds of the lower document are low + take·odds[j].
	low, take := oddsI, 0.0
	if high {
		low, take = 0, 1
	}
	for j, oddsJ := range odds {
		both := oddsI + oddsJ
		distance := gap.offset + float64(gap.slope*math.Abs(scoreI-scores[j]))
		w := (discountI - discount[j]) / float64(float64(both*both)*distance)
		x := float64(w * both * (low + float64(take*oddsJ)))
		y := float64(w * oddsI * oddsJ)
		lambda[j] += float64(c * x)
		hessian[j] += float64(d * y)
		sumX += x
		sumY += y
	}
	return sumX, sumY
}
