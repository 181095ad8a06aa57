package objective

import (
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/pairwise"
	"github.com/lambdamart/lambdamart/internal/reuse"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/param"
)

// groupLambdaRank is the heading of the parameters' documentation.
const groupLambdaRank = "LambdaRank"

func lambdaRankTable(p *AllParams) param.Table {
	return param.Table{
		{Name: "sigmoid", Group: groupLambdaRank,
			Help:  "Steepness of the pair loss.",
			Value: bind.Float(&p.Sigmoid, bind.Positive())},
		{Name: truncation, Group: groupLambdaRank,
			Help: "A pair counts if one of its documents is among this many first ranks. A little more than the " +
				"cut-off of your metric is a good choice.",
			Value: bind.Int(&p.LambdarankTruncationLevel, bind.AtLeast(1))},
		{Name: "lambdarank_norm", Group: groupLambdaRank,
			Help:  "Sets both normalizations at once; each can still be set separately.",
			Value: bind.Bool(&p.LambdarankScoreGapNorm, &p.LambdarankLogNorm)},
		{Name: "lambdarank_score_gap_norm", Aliases: []string{"lambdarank_score_normalization"},
			Group: groupLambdaRank,
			Help:  "Divide a pair's weight by 0.01 + the gap of its scores.",
			Value: bind.Bool(&p.LambdarankScoreGapNorm)},
		{Name: "lambdarank_log_norm", Aliases: []string{"lambdarank_normalization"}, Group: groupLambdaRank,
			Help:  "Multiply a query's lambdas by log2(1+S)/S, S the sum of their magnitudes.",
			Value: bind.Bool(&p.LambdarankLogNorm)},
		tiesRow(&p.LambdarankTies),
		{Name: "lambdarank_position_bias_regularization", Group: groupLambdaRank,
			Help: "Penalty on the biases of the positions in FILE.position, which objectives of pairs" +
				" learn in addition to the trees.",
			Value: bind.Float(&p.LambdarankPositionBiasRegularization, bind.AtLeast(0), bind.AtMost(1e9))},
		{Name: "label_gain", Group: groupLambdaRank,
			Help: "Gain of a relevance grade: exp2 is 2^grade - 1, linear the grade itself (for " +
				"grades beyond 31 too), and a list has an entry for each grade from 0.",
			Value: metric.GainValue(&p.LabelGain)},
	}
}

// lambdaRank is the pairwise logistic loss, each pair weighted by the change of nDCG that swapping
// its ranks would make.
//
// Documents are sorted by descending score. With T the truncation level,
// for ranks i < j with i < T and different gains:
//
//	ds    = s_high - s_low
//	delta = (gain_high - gain_low)·|discount(i) - discount(j)| / maxDCG@T
//	delta = delta / (0.01 + |ds|)          if the score gap norm is on, and not all scores are equal
//	rho   = 1 / (1 + exp(σ·ds))
//	λ_high -= σ·delta·rho,  λ_low += σ·delta·rho
//	h_high, h_low += σ²·delta·rho·(1-rho)
//
// with discount(r) = 1/log2(2+r). If the logarithmic norm is on, all λ and h of the query are then
// multiplied by log2(1+S)/S, where S = 2·Σ σ·delta·rho. Each document's weight comes last. These are
// LightGBM's formulas (rank_objective.hpp), with sums in float64 and without its table of rounded sigmoids.
//
// Discounts beyond the truncation level are not zeroed.
//
// Equal scores, which all documents have before the first tree, do not determine the ranks. With the ties
// "mean" (or "auto"), delta is the mean over all orders of the tied documents ([pairwise.Ties]), and lambdas
// depend only on scores and grades, to the last bit. "draw" breaks ties at random, again in each iteration,
// and "file" by the order of the file, as LightGBM does.
type lambdaRank struct {
	params AllParams

	discount []float64               // by rank, for the longest query
	first    []int32                 // first row by query, and the number of rows: less than data.Queries
	hasPairs []bool                  // by query: whether it has documents of different gains
	inverse  []float64               // by query: 1/maxDCG@T
	gainOf   [otherLabel + 1]float64 // by grade; unspecified for other labels
	grades   []uint8                 // by row: gradeOf the label
	order    []uint16                // by row: each query's indexes as last ranked ([pairwise.Ranking.Rank])
	data     *dataset.Meta
	scratch  reuse.Pool[ranked]
	severals reuse.Pool[several]
}

// scoreGapOffset keeps pairs of nearly equal scores from growing without bound: LightGBM's 0.01f.
const scoreGapOffset = float64(float32(0.01))

// Name returns "lambdarank".
func (l *lambdaRank) Name() string { return "lambdarank" }

// Prepare checks the labels and computes gains, discounts and the largest DCG of each query.
func (l *lambdaRank) Prepare(data *dataset.Meta) error {
	if err := checkTies(l.params.LambdarankTies); err != nil {
		return err
	}
	if err := checkLabels(data, l.params.LabelGain.Check); err != nil {
		return err
	}
	var dcg pairwise.DCG
	for grade := range l.gainOf {
		l.gainOf[grade] = l.params.LabelGain.Of(float64(grade))
	}
	longest, r := 0, new(ranked)
	l.data = data
	l.hasPairs, l.inverse = make([]bool, len(data.Queries)), make([]float64, len(data.Queries))
	l.grades = make([]uint8, data.NumRows())
	l.first, l.order = make([]int32, len(data.Queries)+1), make([]uint16, data.NumRows())
	for n, q := range data.Queries {
		for i, label := range data.Labels[q.First : q.First+q.Len] {
			l.order[q.First+i], l.grades[q.First+i] = uint16(i), gradeOf(label)
		}
		l.first[n+1], l.inverse[n] = int32(q.First+q.Len), 1
		l.inverse[n] = dcg.InverseIdeal(l.gainsOf(r, n), l.params.LambdarankTruncationLevel)
		gains := l.gainsOf(r, n)
		l.hasPairs[n] = len(gains) > 1 && slices.Min(gains) < slices.Max(gains)
		longest = max(longest, q.Len)
	}
	l.discount = dcg.Discounts(longest)
	return nil
}

// meanTies reports whether the weights of pairs are means over the orders of documents of equal scores.
func (l *lambdaRank) meanTies() bool {
	return l.params.LambdarankTies == tiesMean || l.params.LambdarankTies == tiesAuto
}

// Gradients implements [Objective].
func (l *lambdaRank) Gradients(dst Gradients, q Query) {
	if !l.hasPairs[q.Number] {
		clear(dst.Lambda)
		clear(dst.Hessian)
		return
	}
	r := l.scratch.Get()
	defer l.scratch.Put(r)
	r.documents.Stop = q.Canceled
	r.touched = reuse.Touch(dst.Lambda) + reuse.Touch(dst.Hessian)
	gains := l.gainsOf(r, q.Number)
	l.rank(r, q.Scores, l.order[q.First:q.First+len(q.Scores)], gains)
	if l.params.LambdarankTies == tiesDraw {
		breakTies(&r.Ranking, q)
	}
	if pairwise.Distant(l.params.Sigmoid, r.Spread()) {
		scale(dst, l.normalization(l.distantPairs(dst, r, gains)))
	} else {
		l.pairs(dst, r, gains)
	}
	multiply(dst, q.Weights)
}

// gainsOf returns the gains of a query's documents, divided by its maxDCG@T. They are in the memory of r.
func (l *lambdaRank) gainsOf(r *ranked, query int) []float64 {
	first, end, inverse := l.first[query], l.first[query+1], l.inverse[query]
	grades := l.grades[first:end]
	r.gains = reuse.Slice(r.gains, len(grades))
	gains := r.gains[:len(grades)]
	for i, grade := range grades {
		gain := l.gainOf[grade]
		if grade == otherLabel {
			gain = l.params.LabelGain.Of(l.data.Labels[int(first)+i])
		}
		gains[i] = float64(gain * inverse)
	}
	return gains
}

// gradeOf returns a label as a byte.
func gradeOf(label float64) uint8 {
	if grade := uint8(label); float64(grade) == label {
		return grade
	}
	return otherLabel
}

// otherLabel is the grade of all labels that have none of their own.
const otherLabel = 255

// ranked is the memory that Gradients needs for a query, reused for the next one.
type ranked struct {
	gains []float64 // of the query's documents
	pairwise.Ranking
	documents pairwise.Documents
	ties      *pairwise.Ties // nil if no scores are equal, or if the order of those documents counts
	tieMemory pairwise.Ties
	touched   float64 // so that the compiler does not remove calls of [reuse.Touch]
}

// rank sets r to the ranking of a query, and last to its order. scores and gains are by index.
func (l *lambdaRank) rank(r *ranked, scores []float64, last []uint16, gains []float64) {
	r.ties = nil
	if !l.meanTies() {
		r.Rank(scores, last, nil)
		return
	}
	r.Rank(scores, last, gains)
	if r.tieMemory.Find(&r.Ranking, gains, l.discount, l.params.LambdarankTruncationLevel) {
		r.ties = &r.tieMemory
	}
}

// normalization returns the factor of the logarithmic norm for a query with the given S.
func (l *lambdaRank) normalization(sum float64) float64 {
	return logNorm(l.params.LambdarankLogNorm, sum)
}

// scale multiplies all derivatives by a factor.
func scale(dst Gradients, factor float64) {
	for i := range dst.Lambda {
		dst.Lambda[i] *= factor
		dst.Hessian[i] *= factor
	}
}
