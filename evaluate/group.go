package evaluate

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/metric"
)

// rowSource reads all rows and calls emit for them in order. The slices that emit is given are valid only
// until it returns; the texts in them may be kept. A source may be called twice, and returns an error of emit
// unchanged.
type rowSource func(ctx context.Context, emit func(Rows) error) error

// flushRows is the number of rows at which the lists of finished queries are judged.
const flushRows = 1 << 17

// errReturns means that a query reappeared after another one.
var errReturns = errors.New("a query came back")

// groups makes lists of rows in any order: one for each query, in the order of their first rows, with the
// documents in the order of their rows.
type groups struct {
	judge   func(lists ...metric.List) error
	sorts   bool           // the rows of a query are not consecutive, so that all lists are in memory
	numbers map[string]int // of the queries, by id
	lists   []metric.List  // of the latest queries
	rows    int            // that were read
	waiting int            // rows in lists
}

// group passes a list of each query's rows to judge. If the rows of each query are consecutive, they are read
// once. As soon as a query reappears after another one, reading starts again, and all rows are in memory.
// reset is called whenever reading begins.
func group(ctx context.Context, src rowSource, reset func(), judge func(lists ...metric.List) error) (*groups,
	error) {
	g := &groups{judge: judge, numbers: map[string]int{}}
	reset()
	err := src(ctx, g.add)
	if errors.Is(err, errReturns) {
		g = &groups{judge: judge, numbers: map[string]int{}, sorts: true}
		reset()
		err = src(ctx, g.add)
	}
	if err == nil {
		err = g.flush()
	}
	return g, err
}

// add adds rows to the lists of their queries.
func (g *groups) add(rows Rows) error {
	for from, to := 0, 0; from < len(rows.Query); from = to {
		for to = from + 1; to < len(rows.Query) && rows.Query[to] == rows.Query[from]; to++ {
		}
		l, err := g.list(rows.Query[from])
		if err != nil {
			return err
		}
		l.Labels, l.Scores = slices.Grow(l.Labels, to-from), slices.Grow(l.Scores, to-from)
		if rows.Docs != nil {
			l.Docs = slices.Grow(l.Docs, to-from)
		}
		if rows.weights != nil {
			l.Weights = append(l.Weights, rows.weights[from:to]...)
		}
		for row := from; row < to; row++ {
			if math.IsNaN(rows.Scores[row]) {
				l.Unranked = append(l.Unranked, rows.Labels[row])
				continue
			}
			l.Labels, l.Scores = append(l.Labels, rows.Labels[row]), append(l.Scores, rows.Scores[row])
			if rows.Docs != nil {
				l.Docs = append(l.Docs, rows.Docs[row])
			}
		}
		g.rows, g.waiting = g.rows+to-from, g.waiting+to-from
	}
	return nil
}

// list returns the list of a query, which is a new one if the query has none yet.
func (g *groups) list(id string) (*metric.List, error) {
	number, known := g.numbers[id]
	first := len(g.numbers) - len(g.lists) // number of the query of the first list
	switch {
	case known && (g.sorts || number == len(g.numbers)-1):
		return &g.lists[number-first], nil
	case known:
		return nil, errReturns
	case g.waiting >= flushRows && !g.sorts:
		if err := g.flush(); err != nil {
			return nil, err
		}
	}
	g.numbers[id] = len(g.numbers)
	g.lists = append(g.lists, metric.List{Query: id})
	return &g.lists[len(g.lists)-1], nil
}

// flush judges the lists, and forgets them.
func (g *groups) flush() error {
	lists := g.lists
	g.lists, g.waiting = nil, 0
	if len(lists) == 0 {
		return nil
	}
	for i := range lists {
		if l := &lists[i]; l.Weights != nil {
			l.Weights = meanWeights(l.Weights, len(l.Scores))
		}
	}
	return g.judge(lists...)
}
