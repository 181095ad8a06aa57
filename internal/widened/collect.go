package widened

import (
	"fmt"
	"slices"
	"sort"
	"sync"

	"github.com/lambdamart/lambdamart/dataset"
)

// collecting is one pass over the rows in any order, by several goroutines. A row goes to the query
// that its goroutine reads; a query whose rows were divided between goroutines is put together from its
// parts. The goroutine that has the last row of a query hands the query out.
type collecting struct {
	source  *Source
	pass    dataset.Pass
	workers []collector

	mu       sync.Mutex
	parts    map[int]*query // of queries that several goroutines read, by the numbers of the queries
	complete int            // queries that were handed out
}

// collector is the state of one goroutine.
type collector struct {
	widener widener
	number  int   // of the query that is being read
	part    query // its rows so far; none if no query is being read
	out     dataset.Block
}

func newCollecting(s *Source, pass dataset.Pass) *collecting {
	c := &collecting{source: s, pass: pass, workers: make([]collector, s.raw.Workers()), parts: map[int]*query{}}
	for i := range c.workers {
		c.workers[i].widener.plan = s.plan
	}
	return c
}

// visit receives a row of the raw source.
func (c *collecting) visit(worker int, row dataset.Row) error {
	w, queries := &c.workers[worker], c.source.meta.Queries
	if q := &queries[w.number]; row.Number < q.First || row.Number >= q.First+q.Len {
		if err := c.putAside(worker); err != nil {
			return err
		}
		w.number = sort.Search(len(queries), func(i int) bool { return queries[i].First > row.Number }) - 1
		if q := &queries[w.number]; row.Number >= q.First+q.Len {
			return fmt.Errorf("row %d, of %d: %w", row.Number, c.source.meta.NumRows(), dataset.ErrChanged)
		}
	}
	w.part.add(row.Number, row.Feature, row.Value)
	if w.part.len() < queries[w.number].Len {
		return nil
	}
	err := c.handOut(worker, &w.part)
	w.part.reset()
	return err
}

// putAside adds a goroutine's rows of a query to the rows that other goroutines have read. If the query is
// complete then, it is handed out.
func (c *collecting) putAside(worker int) error {
	w := &c.workers[worker]
	if w.part.len() == 0 {
		return nil
	}
	whole := c.join(w)
	w.part.reset()
	if whole.len() < c.source.meta.Queries[w.number].Len {
		return nil
	}
	return c.handOut(worker, whole)
}

// join returns all rows so far of the query that w reads. If another goroutine has the rest and will join
// them later, it returns only the rows of w.
func (c *collecting) join(w *collector) *query {
	c.mu.Lock()
	defer c.mu.Unlock()
	whole := c.parts[w.number]
	if whole == nil {
		whole = &query{}
		c.parts[w.number] = whole
	}
	whole.addAll(&w.part)
	if whole.len() < c.source.meta.Queries[w.number].Len {
		return &query{}
	}
	delete(c.parts, w.number)
	return whole
}

// handOut passes the rows of a complete query to the reader, one at a time.
func (c *collecting) handOut(worker int, q *query) error {
	c.mu.Lock()
	c.complete++
	c.mu.Unlock()
	keep := c.pass.Keep
	if keep != nil && !slices.ContainsFunc(q.numbers, keep) {
		return nil
	}
	w, out := &c.workers[worker].widener, &c.workers[worker].out
	w.compute(q)
	for i, number := range q.numbers {
		if keep != nil && !keep(number) {
			continue
		}
		features, values := w.row(q, i)
		out.Rows = append(out.Rows[:0], dataset.Row{Number: number, Feature: features, Value: values})
		if err := c.pass.Work(worker, out); err != nil {
			return err
		}
	}
	return nil
}

// close hands out the queries whose last rows no goroutine has put aside.
func (c *collecting) close() error {
	for worker := range c.workers {
		if err := c.putAside(worker); err != nil {
			return err
		}
	}
	if n := len(c.source.meta.Queries); c.complete != n {
		return fmt.Errorf("%d of %d queries are complete: %w", c.complete, n, dataset.ErrChanged)
	}
	return nil
}
