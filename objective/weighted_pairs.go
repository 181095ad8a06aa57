package objective

import (
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/internal/pairwise"
	"github.com/lambdamart/lambdamart/internal/reuse"
	"github.com/lambdamart/lambdamart/metric"
)

// weightedPairs is the logistic loss of pairs of documents, with weights w of the pairs by a rule:
//
//	L = Σ w·log(1 + e^(-σ·(s_high - s_low)))
//	rho = 1 / (1 + exp(σ·(s_high - s_low)))
//	λ_high -= σ·w·rho,  λ_low += σ·w·rho,  h_high, h_low += σ²·w·rho·(1-rho)
//
// The rule gives each document a worth. A pair is two documents of different worth, at least one of them
// among the first ranks unless lambdarank_pair_method says otherwise; high is the one worth more. Weights are
// constants of the ranking. The parameters for pairs, both normalizations and document weights mean the same
// as for [lambdaRank], which is faster for the weights of nDCG.
//
// Documents of equal scores are put in an order that is drawn again in each iteration, unless
// lambdarank_ties=file.
type weightedPairs struct {
	name   string
	params AllParams
	rule   pairRule

	discount []float64
	worth    []float64 // by row
	class    []int32   // by row: number of the worth among the different ones of the query, ascending
	hasPairs []bool    // by query
	order    []uint16  // by row: each query's indexes as last ranked ([pairwise.Ranking.Rank])
	scratch  reuse.Pool[rankedPairs]
}

// pairRule selects and weighs the pairs.
type pairRule interface {
	// check returns the check of labels, which says why a label cannot be used; g is the gain of labels.
	check(g metric.Gain) func(label float64) error

	// worth sets dst to the worth of each document of a query, given their labels and the gains of these,
	// which are NaN for labels without one.
	worth(dst, gains, labels []float64)

	// begin is called for a new ranking of a query.
	begin(r *rankedPairs)

	// weigh sets w[j] to the weight of the pair of ranks i and j, for all ranks j from from, which is above i,
	// to len(w)-1 whose document's worth differs from that of rank i. What it sets for others does not matter.
	weigh(r *rankedPairs, i, from int, w []float64)
}

// rankedPairs is a ranked query and the sums of its pairs, by rank. It is used again for the next query.
type rankedPairs struct {
	pairwise.Ranking
	canceled                pairwise.Stop
	worth, odds, discount   []float64
	lambda, hessian, weight []float64
	class                   []int32
	byGap                   bool // weights are divided by gaps of scores

	// For sampled pairs: ranks by class, and where those of each class begin and end.
	draws        Draws
	places, ends []int32
	grades       pairwise.Grades

	// For the rule: sums over ranks that begin computes.
	count, sum    []float64
	stop, place   []float64
	total         float64
	first, second int
}

func (l *weightedPairs) Name() string { return l.name }

func (l *weightedPairs) Prepare(data *dataset.Meta) error {
	if err := checkTies(l.params.LambdarankTies); err != nil {
		return err
	}
	if err := checkLabels(data, l.rule.check(l.params.LabelGain)); err != nil {
		return err
	}
	rows, longest := data.NumRows(), 0
	l.worth, l.hasPairs = make([]float64, rows), make([]bool, len(data.Queries))
	l.class, l.order = make([]int32, rows), make([]uint16, rows)
	worthOf(l.rule, l.worth, l.params.LabelGain, data)
	for n, q := range data.Queries {
		end := q.First + q.Len
		l.hasPairs[n] = classify(l.class[q.First:end], l.worth[q.First:end]) > 1
		longest = max(longest, q.Len)
		for i := range q.Len {
			l.order[q.First+i] = uint16(i)
		}
	}
	l.discount = new(pairwise.DCG).Discounts(longest)
	return nil
}

// worthOf sets dst to the worth of each document, by row, and passes to the rule what it needs from all data.
func worthOf(rule pairRule, dst []float64, gain metric.Gain, data *dataset.Meta) {
	gains := make([]float64, len(data.Labels))
	for row, label := range data.Labels {
		gains[row] = gain.Of(label)
	}
	if e, ok := rule.(*errRule); ok {
		largest := []float64{math.Inf(-1)}
		if len(gains) > 0 {
			largest[0] = slices.Max(gains)
		}
		data.Part.Group().MaxFloats(largest)
		e.largest = largest[0]
	}
	for _, q := range data.Queries {
		end := q.First + q.Len
		rule.worth(dst[q.First:end], gains[q.First:end], data.Labels[q.First:end])
	}
}

// classify sets dst to the number of each value among the different values, ascending, and returns how many
// different values there are.
func classify(dst []int32, values []float64) int {
	different := slices.Clone(values)
	slices.Sort(different)
	different = slices.Compact(different)
	for i, v := range values {
		at, _ := slices.BinarySearch(different, v)
		dst[i] = int32(at)
	}
	return len(different)
}

func (l *weightedPairs) Gradients(dst Gradients, q Query) {
	clear(dst.Lambda)
	clear(dst.Hessian)
	if !l.hasPairs[q.Number] {
		return
	}
	r := l.scratch.Get()
	defer l.scratch.Put(r)
	r.canceled = q.Canceled
	l.rank(r, q)
	sum := l.pairs(r)
	for rank, index := range r.Order {
		dst.Lambda[index] += r.lambda[rank]
		dst.Hessian[index] += r.hessian[rank]
	}
	scale(dst, logNorm(l.params.LambdarankLogNorm, sum))
	multiply(dst, q.Weights)
}

// logNorm returns log2(1+S)/S, the factor of the logarithmic norm, or 1 if that is off.
func logNorm(on bool, sum float64) float64 {
	if !on || !(sum > 0) {
		return 1
	}
	return exact.Log2(1+sum) / sum
}

// rank sets r to a ranking of the query.
func (l *weightedPairs) rank(r *rankedPairs, q Query) {
	n := len(q.Scores)
	r.Rank(q.Scores, l.order[q.First:q.First+n], nil)
	if l.params.LambdarankTies != tiesFile {
		breakTies(&r.Ranking, q)
	}
	r.class = reuse.Slice(r.class, n)
	for rank, index := range r.Order {
		r.class[rank] = l.class[q.First+int(index)]
	}
	r.fill(l.worth[q.First:q.First+n], l.discount[:n], l.params.Sigmoid)
	r.draws = q.Draws(drawPairs)
	l.rule.begin(r)
}

// fill sets the fields of r by its order and scores. odds are e^(σ·(s - largest s)), unless scores are
// too far apart for that.
func (r *rankedPairs) fill(worth, discount []float64, sigma float64) {
	n := len(r.Order)
	r.worth, r.odds, r.weight = reuse.Slice(r.worth, n), reuse.Slice(r.odds, n), reuse.Slice(r.weight, n)
	r.lambda, r.hessian = reuse.Slice(r.lambda, n), reuse.Slice(r.hessian, n)
	r.discount = discount
	clear(r.lambda)
	clear(r.hessian)
	largest := slices.Max(r.Score)
	for rank, index := range r.Order {
		r.worth[rank] = worth[index]
		r.odds[rank] = exact.Exp(float64(sigma * (r.Score[rank] - largest)))
	}
}

// pairs sums the pairs of a ranking, and returns the sum of the magnitudes of all lambdas.
func (l *weightedPairs) pairs(r *rankedPairs) (sum float64) {
	n, sigma := len(r.Order), l.params.Sigmoid
	spread := slices.Max(r.Score) - slices.Min(r.Score)
	r.byGap = l.params.LambdarankScoreGapNorm && spread != 0
	k := l.params.partners(n)
	_, alike := l.rule.(constantRule)
	switch {
	case k == 0:
		sum = l.ofFirst(r, pairwise.Distant(sigma, spread))
	case l.params.LambdarankPairMethod == pairsAll && alike && !l.params.LambdarankScoreGapNorm &&
		r.grades.CanAdd(n, r.classes(), sigma*spread):
		sum = r.grades.Add(r.lambda, r.hessian, r.Score, r.class, r.classes(), sigma)
	default:
		sum = l.sampled(r, k)
	}
	for rank := range r.lambda {
		r.lambda[rank] *= sigma
		r.hessian[rank] *= float64(sigma * sigma)
	}
	return float64(2 * float64(sigma*sum))
}

// ofFirst adds the pairs of the first ranks.
func (l *weightedPairs) ofFirst(r *rankedPairs, distant bool) (sum float64) {
	n := len(r.Order)
	for i := range min(l.params.LambdarankTruncationLevel, n-1) {
		if r.canceled.At(i, n) {
			break
		}
		l.rule.weigh(r, i, i+1, r.weight[:n])
		switch {
		case !distant:
			sum += r.add(i, scoreGapOffset, r.byGap)
		case r.byGap:
			r.divideByGaps(i)
			fallthrough
		default:
			sum += r.addDistant(i, l.params.Sigmoid)
		}
	}
	return sum
}

// divideByGaps divides the weights of the pairs of rank i by 0.01 + the gap of scores.
func (r *rankedPairs) divideByGaps(i int) {
	own := r.Score[i]
	scores := r.Score[i+1:]
	weight := r.weight[i+1:][:len(scores)]
	for j, s := range scores {
		weight[j] /= scoreGapOffset + math.Abs(own-s)
	}
}

// add adds the pairs of rank i, with one exponential per document and one division per pair. It returns the
// sum of w·rho. offset is what is added to the gap of scores before weights are divided by it. With p the
// odds of j divided by the sum of both odds, the derivative by the score of j is w·p if j is low, and
// w·(p-1) if i is. No branch depends on which of the two is low, or on whether they are a pair at all: low
// and high, for i, are used as the indexes 0 and 1.
func (r *rankedPairs) add(i int, offset float64, byGap bool) (sum float64) {
	class, odds, score := r.class[i], r.odds[i], r.Score[i]
	n := len(r.class)
	classes, allOdds, weights, scores := r.class[:n], r.odds[:n], r.weight[:n], r.Score[:n]
	lambdas, hessians := r.lambda[:n], r.hessian[:n]
	lambda, hessian := 0.0, 0.0
	is, gap := [2]float64{0, 1}, 1.0
	for j := i + 1; j < n; j++ {
		low, high := uint32(class-classes[j])>>31, uint32(classes[j]-class)>>31
		other := allOdds[j]
		both := odds + other
		if byGap {
			gap = offset + math.Abs(score-scores[j])
		}
		inverse := is[low|high] / float64(both*gap)
		p := float64(float64(other*gap) * inverse)
		w := float64(weights[j] * float64(both*inverse))
		x := float64(w * (p - is[low]))
		h := float64(float64(w*p) * (1 - p))
		lambdas[j] += x
		hessians[j] += h
		lambda += x
		hessian += h
		sum += math.Abs(x)
	}
	lambdas[i] -= lambda
	hessians[i] += hessian
	return sum
}

// addDistant is like add, for scores of any difference, directly by the formulas. Tests compare add with it.
func (r *rankedPairs) addDistant(i int, sigma float64) (sum float64) {
	for j := i + 1; j < len(r.worth); j++ {
		sum += r.addPair(i, j, r.weight[j], sigma)
	}
	return sum
}

// addPair adds the pair of two ranks, of the weight w, and returns w·rho.
func (r *rankedPairs) addPair(i, j int, w, sigma float64) float64 {
	high, low := i, j
	switch {
	case r.worth[i] == r.worth[j]:
		return 0
	case r.worth[i] < r.worth[j]:
		high, low = j, i
	}
	rho := sigmoid(float64(-sigma * (r.Score[high] - r.Score[low])))
	lambda := float64(w * rho)
	hessian := float64(lambda * (1 - rho))
	r.lambda[high] -= lambda
	r.lambda[low] += lambda
	r.hessian[high] += hessian
	r.hessian[low] += hessian
	return lambda
}
