package group

import (
	"math"

	"github.com/lambdamart/lambdamart/metric"
)

// flushRows is the number of collected rows at which the lists of finished queries go to the sink.
const flushRows = 1 << 17

// lists makes lists of rows that arrive query by query. The rows of several queries share its slices, until
// they are sent to the sink together.
type lists struct {
	sink          Sink
	rows, queries int

	open bool   // a query has begun
	id   string // of the current query
	from place  // where the current query begins

	labels, scores, unranked []float64
	docs                     []string
	ranges                   []span // of the queries that are finished
	batch                    []metric.List
}

// place is a position in the slices of lists: their lengths at that time.
type place struct{ ranked, unranked, docs int }

// span locates a query.
type span struct {
	id       string
	from, to place
}

// begin ends the current query and begins another.
func (l *lists) begin(id string) error {
	l.end()
	if len(l.labels)+len(l.unranked) >= flushRows {
		if err := l.send(); err != nil {
			return err
		}
	}
	l.open, l.id, l.from = true, id, l.here()
	l.queries++
	return nil
}

func (l *lists) here() place { return place{len(l.labels), len(l.unranked), len(l.docs)} }

// add adds documents to the current query. docs has their ids, or is nil.
func (l *lists) add(labels, scores []float64, docs []string) {
	l.rows += len(labels)
	for from, to := 0, 0; from < len(scores); from = to + 1 {
		for to = from; to < len(scores) && !math.IsNaN(scores[to]); to++ {
		}
		l.labels, l.scores = append(l.labels, labels[from:to]...), append(l.scores, scores[from:to]...)
		if docs != nil {
			l.docs = append(l.docs, docs[from:to]...)
		}
		if to < len(scores) {
			l.unranked = append(l.unranked, labels[to])
		}
	}
}

// end ends the current query.
func (l *lists) end() {
	if l.open {
		l.ranges = append(l.ranges, span{l.id, l.from, l.here()})
	}
	l.open = false
}

// flush ends the current query and sends what is left.
func (l *lists) flush() error {
	l.end()
	return l.send()
}

// send hands the finished queries to the sink and forgets them.
func (l *lists) send() error {
	l.batch = l.batch[:0]
	for _, r := range l.ranges {
		list := metric.List{Query: r.id, Labels: l.labels[r.from.ranked:r.to.ranked],
			Scores: l.scores[r.from.ranked:r.to.ranked]}
		if r.to.unranked > r.from.unranked {
			list.Unranked = l.unranked[r.from.unranked:r.to.unranked]
		}
		if len(l.docs) > 0 {
			list.Docs = l.docs[r.from.docs:r.to.docs]
		}
		l.batch = append(l.batch, list)
	}
	l.labels, l.scores, l.unranked, l.docs, l.ranges = l.labels[:0], l.scores[:0], l.unranked[:0], l.docs[:0],
		l.ranges[:0]
	if len(l.batch) == 0 {
		return nil
	}
	return l.sink.Add(l.batch...)
}
