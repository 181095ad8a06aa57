package objective

import (
	"cmp"
	"slices"
	"sync"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/internal/pairwise"
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

	discount []float64 // by rank, for the longest query
	hasPairs []bool    // by query: it has documents of different worth
	gain     []float64 // by row, divided by maxDCG@Truncation of its query
	order    []int32   // by row: each query's indexes in the order of its last ranking
	scratch  sync.Pool // *ranked
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
	l.hasPairs = make([]bool, len(data.Queries))
	l.order = make([]int32, data.NumRows())
	for n, q := range data.Queries {
		l.hasPairs[n] = l.normalize(l.gain[q.First : q.First+q.Len])
		for i := range q.Len {
			l.order[q.First+i] = int32(i)
		}
	}
	return nil
}

// normalize divides a query's gains by their largest DCG, and tells whether any differ.
func (l *LambdaRank) normalize(gains []float64) bool {
	inverse := l.inverseMaxDCG(gains)
	for i, gain := range gains {
		gains[i] = float64(gain * inverse)
	}
	return len(gains) > 1 && slices.Min(gains) < slices.Max(gains)
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

// Gradients implements [Objective].
func (l *LambdaRank) Gradients(dst Gradients, q Query, scores []float64) {
	n := len(scores)
	if !l.hasPairs[q.Number] {
		clear(dst.Lambda)
		clear(dst.Hessian)
		return
	}
	r, _ := l.scratch.Get().(*ranked)
	if r == nil {
		r = new(ranked)
	}
	defer l.scratch.Put(r)
	gains := l.gain[q.First : q.First+n]
	r.touched = touch(gains) + touch(dst.Lambda) + touch(dst.Hessian)
	r.rank(scores, l.order[q.First:q.First+n])
	if l.Sigma*(r.score[0]-r.score[n-1]) <= pairwise.MaxRange {
		l.pairs(dst, r, gains)
	} else {
		factor := l.normalization(l.distantPairs(dst, r, gains))
		for i := range scores {
			dst.Lambda[i] *= factor
			dst.Hessian[i] *= factor
		}
	}
	if q.Weights != nil {
		for index, w := range q.Weights {
			dst.Lambda[index] *= w
			dst.Hessian[index] *= w
		}
	}
}

// normalization returns the factor of LogNorm for a query with the given S.
func (l *LambdaRank) normalization(sum float64) float64 {
	if !l.LogNorm || !(sum > 0) {
		return 1
	}
	return exact.Log2(1+sum) / sum
}
