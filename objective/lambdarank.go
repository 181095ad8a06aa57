package objective

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/metric"
)

// LambdaRank is the pairwise logistic loss, each pair weighted by the change of
// nDCG that swapping its ranks would make.
//
// Documents are sorted by descending score, equal scores in file order. For
// ranks i < j with i < Truncation and different grades:
//
//	ds    = s_high - s_low
//	delta = (gain_high - gain_low)·|discount(i) - discount(j)| / maxDCG@Truncation
//	delta = delta / (0.01 + |ds|)          if ScoreGapNorm, and not all scores are equal
//	rho   = 1 / (1 + exp(σ·ds))
//	λ_high -= σ·delta·rho,  λ_low += σ·delta·rho
//	h_high, h_low += σ²·delta·rho·(1-rho)
//
// with discount(r) = 1/log2(2+r). If LogNorm, all λ and h of the query are then
// multiplied by log2(1+S)/S, where S = 2·Σ σ·delta·rho. Last comes each
// document's weight. These are LightGBM's formulas (rank_objective.hpp), with
// sums in float64 and without its table of rounded sigmoids.
//
// Discounts beyond the truncation level are not zeroed.
type LambdaRank struct {
	Sigma        float64     // steepness σ of the logistic loss, greater than 0
	Truncation   int         // ranks that pairs must reach into, at least 1
	Gain         metric.Gain // worth of a grade
	ScoreGapNorm bool        // divide by the score gap
	LogNorm      bool        // scale the query's sum logarithmically

	discount   []float64 // by rank, for the longest query
	inverseMax []float64 // 1/maxDCG@Truncation by query; 0 for queries without gain
	gain       []float64 // by row
	scratch    sync.Pool // *ranked
}

// scoreGapOffset keeps pairs of nearly equal scores from growing without bound:
// LightGBM's 0.01f.
const scoreGapOffset = float64(float32(0.01))

// NewLambdaRank returns the objective with LightGBM's defaults: σ 1, truncation
// 30, gains 2^grade - 1, both normalizations on.
func NewLambdaRank() *LambdaRank {
	return &LambdaRank{Sigma: 1, Truncation: 30, Gain: metric.Exp2(), ScoreGapNorm: true, LogNorm: true}
}

// Name returns "lambdarank".
func (l *LambdaRank) Name() string { return "lambdarank" }

// Prepare checks the labels and computes gains, discounts and the largest DCG of
// each query.
func (l *LambdaRank) Prepare(data *dataset.Meta) error {
	longest := 0
	l.gain = make([]float64, data.NumRows())
	for _, q := range data.Queries {
		longest = max(longest, q.Len)
		for row := q.First; row < q.First+q.Len; row++ {
			if err := l.Gain.Check(data.Labels[row]); err != nil {
				return &LabelError{Query: q.ID, Row: row, Label: data.Labels[row], Err: err}
			}
			l.gain[row] = l.Gain.Of(data.Labels[row])
		}
	}
	l.discount = discounts(longest)
	l.inverseMax = make([]float64, len(data.Queries))
	for n, q := range data.Queries {
		l.inverseMax[n] = l.inverseMaxDCG(l.gain[q.First : q.First+q.Len])
	}
	return nil
}

// discounts returns 1/log2(2+rank) for ranks below n.
func discounts(n int) []float64 {
	d := make([]float64, n)
	for rank := range d {
		d[rank] = 1 / exact.Log2(float64(rank+2))
	}
	return d
}

// inverseMaxDCG returns 1/DCG@Truncation of the best order of the gains, or 0 if
// that DCG is not positive.
func (l *LambdaRank) inverseMaxDCG(gains []float64) float64 {
	best := slices.Clone(gains)
	slices.SortFunc(best, func(a, b float64) int { return cmp.Compare(b, a) })
	dcg := 0.0
	for rank, gain := range best[:min(len(best), l.Truncation)] {
		dcg += float64(gain * l.discount[rank])
	}
	if dcg <= 0 {
		return 0
	}
	return 1 / dcg
}

// ranked is a query's documents by rank.
type ranked struct {
	index  []int32 // index of the document at each rank
	score  []float64
	gain   []float64
	label  []float64
	lambda []float64
	hess   []float64
}

// Gradients implements [Objective].
func (l *LambdaRank) Gradients(dst Gradients, q Query, scores []float64) {
	clear(dst.Lambda)
	clear(dst.Hessian)
	if l.inverseMax[q.Number] == 0 || len(scores) < 2 {
		return
	}
	r, _ := l.scratch.Get().(*ranked)
	if r == nil {
		r = new(ranked)
	}
	defer l.scratch.Put(r)
	r.sort(q, scores, l.gain[q.First:])
	sum := l.pairs(r, l.inverseMax[q.Number])
	factor := 1.0
	if l.LogNorm && sum > 0 {
		factor = exact.Log2(1+sum) / sum
	}
	for rank, index := range r.index {
		w := factor
		if q.Weights != nil {
			w *= q.Weights[index]
		}
		dst.Lambda[index] = r.lambda[rank] * w
		dst.Hessian[index] = r.hess[rank] * w
	}
}

// sort ranks the documents by descending score, equal scores in file order, and
// clears the sums.
func (r *ranked) sort(q Query, scores, gains []float64) {
	n := len(scores)
	r.index = resize(r.index, n)
	for i := range r.index {
		r.index[i] = int32(i)
	}
	slices.SortStableFunc(r.index, func(a, b int32) int { return cmp.Compare(scores[b], scores[a]) })
	r.score, r.gain, r.label = resize(r.score, n), resize(r.gain, n), resize(r.label, n)
	for rank, index := range r.index {
		r.score[rank], r.gain[rank], r.label[rank] = scores[index], gains[index], q.Labels[index]
	}
	r.lambda, r.hess = resize(r.lambda, n), resize(r.hess, n)
	clear(r.lambda)
	clear(r.hess)
}

// resize returns a slice of length n that reuses s if it is long enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, 2*n)
	}
	return s[:n]
}

// pairs adds all pairs to the sums of their documents, in order of rank, and
// returns S, the sum of |λ| over both documents of all pairs.
func (l *LambdaRank) pairs(r *ranked, inverseMax float64) float64 {
	n := len(r.index)
	byGap := l.ScoreGapNorm && r.score[0] != r.score[n-1]
	sum := 0.0
	for i := range min(l.Truncation, n-1) {
		for j := i + 1; j < n; j++ {
			if r.label[i] == r.label[j] {
				continue
			}
			high, low := i, j
			if r.label[i] < r.label[j] {
				high, low = j, i
			}
			ds := r.score[high] - r.score[low]
			delta := (r.gain[high] - r.gain[low]) * math.Abs(l.discount[i]-l.discount[j]) * inverseMax
			if byGap {
				delta /= scoreGapOffset + math.Abs(ds)
			}
			rho := 1 / (1 + exact.Exp(float64(l.Sigma*ds)))
			lambda := float64(l.Sigma * delta * rho)
			hessian := float64(l.Sigma * lambda * (1 - rho))
			r.lambda[high] -= lambda
			r.lambda[low] += lambda
			r.hess[high] += hessian
			r.hess[low] += hessian
			sum += float64(2 * lambda)
		}
	}
	return sum
}
