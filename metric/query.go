package metric

import (
	"math"
	"sync"
)

// query is one query and what was found out about it for one metric that others
// can use. It belongs to one goroutine.
type query struct {
	labels, scores []float64 // of the input
	deepest        int       // largest cut-off of the metrics to come; all if < 1

	docs, spare []document // docs is sorted by score, if isSorted
	isSorted    bool
	ranked      [Pessimistic + 1]ranking // by rule for ties
	isRanked    [Pessimistic + 1]bool
	best        ranking    // documents by label
	bestDocs    []document // memory of best
	isBest      bool
}

// load begins with another query. No metric looks deeper than the rank deepest.
func (q *query) load(labels, scores []float64, deepest int) {
	q.labels, q.scores, q.deepest = labels, scores, deepest
	q.isSorted, q.isBest = false, false
	clear(q.isRanked[:])
}

// ranking returns the documents ranked by score, as far as any metric looks.
func (q *query) ranking(ties Ties) *ranking {
	r := &q.ranked[ties]
	if !q.isRanked[ties] {
		if !q.isSorted {
			q.docs, q.spare = order(q.docs, q.spare, q.labels, q.scores, q.deepest)
			q.isSorted = true
		}
		r.rank(q.docs, ties)
		q.isRanked[ties] = true
	}
	return r
}

// ideal returns the documents ranked by label, as far as any metric looks.
func (q *query) ideal() *ranking {
	if !q.isBest {
		q.bestDocs, q.spare = order(q.bestDocs, q.spare, q.labels, q.labels, q.deepest)
		q.best.rank(q.bestDocs, FileOrder)
		q.isBest = true
	}
	return &q.best
}

var queries = sync.Pool{New: func() any { return new(query) }}

// judgeOne is [Metric.Query] for the metrics of this package.
func judgeOne(m judge, labels, scores []float64) (value float64, ok bool) {
	if len(labels) != len(scores) || hasNaN(scores) || m.Convention().Check(labels) != nil {
		return math.NaN(), true
	}
	q := queries.Get().(*query)
	q.load(labels, scores, m.cutoff())
	v := m.judge(q)
	q.labels, q.scores = nil, nil
	queries.Put(q)
	return v.value, v.counts
}

func hasNaN(scores []float64) bool {
	for _, score := range scores {
		if math.IsNaN(score) {
			return true
		}
	}
	return false
}
