package pairwise

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/exact"
)

// Together adds the pairs of several queries at a time, with the same bits as [Documents.Pairs] and
// [Ties.Pairs] for each of them. A register has a number of each query, so that no sum is spread over a
// register, and no part of it idles where queries have fewer documents than it has numbers. The zero value
// has no queries. The memory is reused for the next ones.
type Together struct {
	// Fields by rank and query, of which the assembly knows the order and the length. They come first, so that
	// they begin at a cache line, and each has a block more than it needs, so that the same rank of different
	// fields is not in the same set of a cache. Before a query is ranked, gain and score are by index.
	gain, odds, score, discount, lambda, hessian [(Short + 1) * lanes]float64
	index                                        [(Short + 1) * lanes]int64

	n    int // queries
	most int // documents of one

	offsets [lanes]float64
	sums    [lanes]float64
	queries [lanes]member
	ofLanes [4 * lanes * lanes / 2]float64 // where AVX2 keeps the sums of a document

	ofLambda, ofHessian [Short]float64 // of one query
}

// member is a query.
type member struct {
	n    int // documents
	ties *Ties
}

// MostTogether is the number of queries that are added together.
const MostTogether = lanes

// Short is the largest number of documents of queries that are added together. The assembly depends on it.
const Short = 32

// Pays reports whether adding the pairs of the queries together is faster than one by one.
func (t *Together) Pays() bool { return t.n*lanes >= t.most }

// Forget removes all queries.
func (t *Together) Forget() { t.n, t.most = 0, 0 }

// MostDocuments returns the largest number of documents of queries that can be added together: Short, or 0 on
// CPUs without AVX2.
func MostDocuments() int {
	if best != inGo {
		return Short
	}
	return 0
}

// CanTogether reports whether a query of at most [MostDocuments] can be added together with others: the
// truncation level must not end within documents of equal scores.
func CanTogether(ties *Ties) bool { return ties == nil || !ties.parted() }

// Add adds a query, and returns its number; there is room for MostTogether. The scores and gains are by
// index. [Together.Rank] ranks it, or [Together.SetRanking] takes its ranking.
func (t *Together) Add(scores, gains []float64) (number int) {
	lane := t.n
	t.queries[lane] = member{n: len(scores)}
	t.n, t.most = t.n+1, max(t.most, len(scores))
	gains = gains[:len(scores)]
	for i, score := range scores {
		at := uint(i*lanes+lane) % (Short * lanes) // so that the compiler knows that it is within the arrays
		t.score[at], t.gain[at] = score, gains[i]
	}
	return lane
}

// SetRanking ranks a query. gains are by index, discounts by rank. offset is added to the gaps of scores; 0:
// all gaps are 0, and 1 is added.
func (t *Together) SetRanking(number int, r *Ranking, ties *Ties, gains, discounts []float64,
	sigma, offset float64) {
	t.queries[number].ties = ties
	score, discounts, largest := r.Score[:len(r.Order)], discounts[:len(r.Order)], r.Score[0]
	for rank, index := range r.Order {
		at := uint(rank*lanes+number) % (Short * lanes)
		t.gain[at], t.discount[at], t.index[at] = gains[index], discounts[rank], int64(index)
		t.odds[at], t.score[at] = float64(sigma*(score[rank]-largest)), score[rank]
	}
	if t.offsets[number] = offset; offset == 0 {
		t.offsets[number] = 1
		for rank := range score {
			t.score[rank*lanes+number] = 0
		}
	}
}

// Leave takes a query out. The numbers of the others stay.
func (t *Together) Leave(number int) { t.queries[number] = member{} }

// Pairs adds all pairs of the queries with a document among the first truncation ranks, and returns the sums
// of |x|. It can be called once; Add then begins anew.
func (t *Together) Pairs(truncation int) (sums []float64) { return t.pairs(best, truncation) }

func (t *Together) pairs(by kernel, truncation int) (sums []float64) {
	size := t.most * lanes
	clear(t.lambda[:size])
	clear(t.hessian[:size])
	t.sums = [lanes]float64{}
	for lane := range lanes {
		t.complete(lane)
	}
	exact.Exps(t.odds[:size])
	within := t.sums
	t.sums = [lanes]float64{}
	if ranks := min(truncation, t.lastChange()); ranks > 0 {
		by.addTogether(t, ranks)
	}
	sums = t.sums[:t.n]
	for lane := range sums {
		sums[lane] += within[lane]
	}
	t.Forget()
	return sums
}

// complete prepares the fields of a query for the addition of its pairs: its ties, and the places behind its
// last document, which make no pair.
func (t *Together) complete(lane int) {
	n := 0
	if lane < t.n {
		q := &t.queries[lane]
		if n = q.n; q.ties != nil {
			t.begin(lane, q.ties)
		}
	}
	for at := n*lanes + lane; at < t.most*lanes; at += lanes {
		t.gain[at], t.odds[at] = math.NaN(), 0
	}
}

// lastChange returns the last rank at which the gain of a query changes, or 0. Later documents make no pairs
// with one another.
func (t *Together) lastChange() int {
	for rank := t.most - 1; rank > 0; rank-- {
		before, at := (*[lanes]float64)(t.gain[(rank-1)*lanes:]), (*[lanes]float64)(t.gain[rank*lanes:])
		for lane, gain := range at {
			if math.Float64bits(gain) != math.Float64bits(before[lane]) {
				return rank
			}
		}
	}
	return 0
}

// begin does for a query what Ties.begin does.
func (t *Together) begin(lane int, ties *Ties) {
	for n := range ties.groups {
		g := &ties.groups[n]
		for rank := g.First; rank < g.End; rank++ {
			t.discount[rank*lanes+lane] = g.Discount
		}
		lambda, hessian := t.ofLambda[:g.End-g.First], t.ofHessian[:g.End-g.First]
		clear(lambda)
		clear(hessian)
		t.sums[lane] += ties.within(g, t.offsets[lane], lambda, hessian)
		for i := range lambda {
			at := (g.First+i)*lanes + lane
			t.lambda[at], t.hessian[at] = lambda[i], hessian[i]
		}
	}
}

// Derivatives does for a query of the last Pairs what [Documents.Derivatives] does. The query has the given
// number, from 0 in the order of Add. It returns what [exact.Largest] returns for them.
func (t *Together) Derivatives(number int, dstLambda, dstHessian []float64, first, second float64) (
	largest, largestHessian uint64) {
	q := &t.queries[number]
	if q.ties != nil {
		t.finish(number, q)
	}
	for rank := range q.n {
		at := uint(rank*lanes+number) % (Short * lanes)
		index := t.index[at]
		lambda, hessian := float64(t.lambda[at]*first), float64(t.hessian[at]*second)
		dstLambda[index], dstHessian[index] = lambda, hessian
		largest, largestHessian = exact.Larger(largest, largestHessian, lambda, hessian)
	}
	return largest, largestHessian
}

// finish does for a query what Ties.finish does.
func (t *Together) finish(lane int, q *member) {
	lambda, hessian := t.ofLambda[:q.n], t.ofHessian[:q.n]
	for rank := range lambda {
		lambda[rank], hessian[rank] = t.lambda[rank*lanes+lane], t.hessian[rank*lanes+lane]
	}
	q.ties.finish(lambda, hessian)
	for rank := range lambda {
		t.lambda[rank*lanes+lane], t.hessian[rank*lanes+lane] = lambda[rank], hessian[rank]
	}
}
