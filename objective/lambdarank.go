package objective

import (
	"cmp"
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
	grade      []int32   // by row: place of the label among the query's different labels, ascending
	order      []int32   // by row: each query's indexes in the order of its last ranking
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
	l.grade, l.order = make([]int32, data.NumRows()), make([]int32, data.NumRows())
	for n, q := range data.Queries {
		l.inverseMax[n] = l.inverseMaxDCG(l.gain[q.First : q.First+q.Len])
		gradesOf(l.grade[q.First:q.First+q.Len], data.Labels[q.First:q.First+q.Len])
		for i := range q.Len {
			l.order[q.First+i] = int32(i)
		}
	}
	return nil
}

// gradesOf writes the place of each label among the different labels, ascending.
func gradesOf(dst []int32, labels []float64) {
	different := slices.Clone(labels)
	slices.Sort(different)
	different = slices.Compact(different)
	for i, label := range labels {
		grade, _ := slices.BinarySearch(different, label)
		dst[i] = int32(grade)
	}
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
	if l.inverseMax[q.Number] == 0 || n < 2 {
		clear(dst.Lambda)
		clear(dst.Hessian)
		return
	}
	r, _ := l.scratch.Get().(*ranked)
	if r == nil {
		r = new(ranked)
	}
	defer l.scratch.Put(r)
	rows := func(all []int32) []int32 { return all[q.First : q.First+n] }
	r.rank(scores, rows(l.order))
	var sum float64
	steepness := 1.0 // what the Hessians lack
	if l.Sigma*(r.score[0]-r.score[n-1]) <= maxRange {
		r.group(rows(l.grade), l.gain[q.First:q.First+n], l.discount, l.Sigma)
		sum = l.groupedPairs(r, l.inverseMax[q.Number])
		steepness = l.Sigma
	} else {
		r.keepRanks(rows(l.grade), l.gain[q.First:q.First+n], l.discount)
		sum = l.pairs(r, l.inverseMax[q.Number])
	}
	factor := 1.0
	if l.LogNorm && sum > 0 {
		factor = exact.Log2(1+sum) / sum
	}
	for place, index := range r.index {
		w := factor
		if q.Weights != nil {
			w *= q.Weights[index]
		}
		dst.Lambda[index] = r.lambda[place] * w
		dst.Hessian[index] = r.hessian[place] * w * steepness
	}
}
