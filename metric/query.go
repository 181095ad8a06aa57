package metric

import (
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/internal/reuse"
)

// query is one list together with results that one metric computed about it and others can reuse. It belongs
// to one goroutine.
type query struct {
	List
	deepest int // the largest cut-off of the metrics that will judge it; all ranks if < 1

	sorter   sorter
	docs     []document // sorted by score, if isSorted
	isSorted bool
	ranked   [ByDocument + 1]ranking // by rule for ties, if isRanked
	isRanked [ByDocument + 1]bool
	best     ranking    // the documents by label, if isBest
	bestDocs []document // memory of best
	judged   []float64  // memory for the labels of all documents, if some are not ranked
	isBest   bool
	products []float64 // memory of the metric err

	worthOf []float64 // memory of worths
	byWorth ranking
	pairs   pairCount // memory of the metrics of pairs
}

// load begins a list. deepest is the largest cut-off of the metrics that will judge it; all ranks
// if < 1.
func (q *query) load(l List, deepest int) {
	q.List, q.deepest = l, deepest
	q.isSorted, q.isBest = false, false
	clear(q.isRanked[:])
}

// ranking returns the documents ranked by score, at least as many as any metric considers.
func (q *query) ranking(ties Ties) *ranking {
	r := &q.ranked[ties]
	if q.isRanked[ties] {
		return r
	}
	q.rank(r, ties, q.Labels)
	q.isRanked[ties] = true
	return r
}

// rank sets r to the documents ranked by score, with values in place of labels.
func (q *query) rank(r *ranking, ties Ties, values []float64) {
	if !q.isSorted {
		q.docs = q.sorter.order(q.docs, q.Scores, q.deepest)
	}
	q.isSorted = ties != ByDocument // breaking ties by document id reorders docs
	r.rank(q.docs, ties, values, q.Docs)
}

// ideal returns the documents ranked by label, at least as many as any metric considers.
func (q *query) ideal() *ranking {
	if !q.isBest {
		labels := q.Labels
		if len(q.Unranked) > 0 {
			q.judged = append(append(q.judged[:0], q.Labels...), q.Unranked...)
			labels = q.judged
		}
		q.bestDocs = q.sorter.order(q.bestDocs, labels, q.deepest)
		q.best.rank(q.bestDocs, FileOrder, labels, nil)
		q.isBest = true
	}
	return &q.best
}

// relevant returns the number of relevant documents, ranked or not.
func (q *query) relevant(c *Convention) float64 {
	n := 0.0
	for _, label := range q.Labels {
		n += c.relevant(label)
	}
	for _, label := range q.Unranked {
		n += c.relevant(label)
	}
	return n
}

var queries reuse.Pool[query]

// judgeOne implements [Metric.Query] for the metrics of this package.
func judgeOne(m *metric, labels, scores []float64) (value float64, ok bool) {
	if len(labels) != len(scores) || slices.ContainsFunc(scores, math.IsNaN) ||
		m.rules.check(labels, m.needs) != nil {
		return math.NaN(), true
	}
	q := queries.Get()
	q.load(List{Labels: labels, Scores: scores}, m.k)
	v := m.judge(m, q)
	q.List = List{}
	queries.Put(q)
	return v.value, v.counts
}
