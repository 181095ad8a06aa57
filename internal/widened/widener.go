// Package widened adds columns of query context to ranking data, whatever its form: a source of raw
// rows becomes a source of rows that have the context columns after the raw features.
//
//	rows of a source ─► whole queries ─► by feature ─► querycontext ─► wider rows ─► reader
//	  (in parallel)     (collected)    (of one query)                (in parallel)
//
// The context of a document needs all documents of its query, so that rows are collected until their
// query is complete. Memory holds the queries that are being read, not the data.
//
// There are [querycontext.Columns].Raw raw features, however many the source has. A feature that the source
// lacks is zero in all rows. Additional features of the source come after the context columns, where readers
// notice them.
package widened

import (
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/internal/querycontext"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// query is rows of one query, as a compressed sparse matrix: the features of row i are
// features[starts[i]:starts[i+1]], ascending, and their values are at the same places of values.
type query struct {
	numbers  []int // of the rows in the whole data
	starts   []int // one more than rows; nil if there is no row
	features []int32
	values   []float64
}

func (q *query) len() int { return len(q.numbers) }

func (q *query) reset() {
	q.numbers, q.starts, q.features, q.values = q.numbers[:0], q.starts[:0], q.features[:0], q.values[:0]
}

// grow makes room for rows with this many values in total: a query may have a million rows, and memory that
// grows by appending takes twice as much.
func (q *query) grow(rows, values int) {
	q.numbers, q.starts = slices.Grow(q.numbers, rows), slices.Grow(q.starts, rows+1)
	q.features, q.values = slices.Grow(q.features, values), slices.Grow(q.values, values)
}

// append appends features to the next row, which end completes.
func (q *query) append(features []int32, values []float64) {
	q.features, q.values = append(q.features, features...), append(q.values, values...)
}

// end completes a row.
func (q *query) end(number int) {
	if len(q.starts) == 0 {
		q.starts = append(q.starts, 0)
	}
	q.numbers, q.starts = append(q.numbers, number), append(q.starts, len(q.features))
}

// row returns the features of row i.
func (q *query) row(i int) (features []int32, values []float64) {
	from, to := q.starts[i], q.starts[i+1]
	return q.features[from:to], q.values[from:to]
}

// plan maps raw features to the columns that are computed from them.
type plan struct {
	columns  *querycontext.Columns
	computed []int // the columns that are computed, by their places in columns.List, ascending
	sources  []source
	place    []int32 // by raw feature: its place in sources, or -1
	counts   []int   // columns that count the documents, by their places in computed
	ranks    []ranks // like counts, no row has a 0 in them
}

// ranks is a column of ranks.
type ranks struct{ source, column int } // by their places in plan.sources and plan.computed

// source is a raw feature that has context columns.
type source struct {
	kinds   []querycontext.Kind
	columns []int // of the kinds, by their places in plan.computed
}

// newPlan returns the plan for the columns with the given numbers; nil means all. The others are left
// out, as if they were zero.
func newPlan(c *querycontext.Columns, used []int) *plan {
	p := &plan{columns: c, place: make([]int32, c.Raw)}
	for f := range p.place {
		p.place[f] = -1
	}
	if used == nil {
		for i := range c.List {
			p.add(i)
		}
	}
	for _, n := range used {
		if n >= c.Raw {
			p.add(n - c.Raw)
		}
	}
	return p
}

// add adds a column to the plan.
func (p *plan) add(i int) {
	column, at := p.columns.List[i], len(p.computed)
	p.computed = append(p.computed, i)
	if column.Kind == querycontext.Count {
		p.counts = append(p.counts, at)
		return
	}
	if p.place[column.Feature] < 0 {
		p.place[column.Feature] = int32(len(p.sources))
		p.sources = append(p.sources, source{})
	}
	if column.Kind == querycontext.Rank {
		p.ranks = append(p.ranks, ranks{int(p.place[column.Feature]), at})
	}
	s := &p.sources[p.place[column.Feature]]
	s.kinds, s.columns = append(s.kinds, column.Kind), append(s.columns, at)
}

// widener computes the context of one query after the other. A goroutine has one.
//
// Most sources of wide and sparse data are 0 in all rows of a query, and then all of their context but the
// rank is 0. Only the sources that are found take memory and time.
type widener struct {
	*plan
	n      int       // rows of the query
	found  []int     // sources that are not 0 in all rows
	slots  []int     // by source: one more than its place in found, or 0
	values []float64 // found × rows: the value of each source in each row, 0 where a row has none
	active []int     // columns that are not 0 in all rows, by their places in computed, ascending
	at     []int     // by place in computed: the place in active of a column that is there
	out    []float64 // rows × active columns, row-major
	zeros  []float64 // values of a source that is not found

	feature querycontext.Feature // of the source in progress, or of zeros
}

// begin makes room for a query of n rows, which have no values yet.
func (w *widener) begin(n int) {
	if w.slots == nil {
		w.slots, w.at = make([]int, len(w.sources)), make([]int, len(w.computed))
	}
	for _, s := range w.found {
		w.slots[s] = 0
	}
	const roomFor = 1024 // sources; a query may have a million rows, and growing takes twice the memory
	w.n, w.found, w.values = n, w.found[:0], slices.Grow(w.values[:0], n*min(len(w.sources), roomFor))
}

// set sets the values of a row.
func (w *widener) set(row int, features []int32, values []float64) {
	for i, f := range features {
		if int(f) >= len(w.place) {
			return // those that the columns do not know come last
		}
		if s := w.place[f]; s >= 0 && values[i] != 0 {
			w.values[w.slotOf(int(s))*w.n+row] = values[i]
		}
	}
}

// slotOf returns the place of a source in found.
func (w *widener) slotOf(s int) int {
	if w.slots[s] == 0 {
		w.found, w.values = append(w.found, s), append(w.values, make([]float64, w.n)...)
		w.slots[s] = len(w.found)
	}
	return w.slots[s] - 1
}

// finish computes the context of the rows that were set.
func (w *widener) finish() {
	w.choose()
	w.out = reuse.Zeros(w.out, w.n*len(w.active))
	for slot, s := range w.found {
		w.fill(w.values[slot*w.n:][:w.n], w.sources[s])
	}
	if len(w.ranks) > 0 && len(w.found) < len(w.sources) {
		w.rankRest()
	}
	for _, c := range w.counts {
		w.setAll(c, float64(w.n))
	}
}

// choose finds the active columns.
func (w *widener) choose() {
	w.active = append(w.active[:0], w.counts...)
	for _, r := range w.ranks {
		w.active = append(w.active, r.column)
	}
	for _, s := range w.found {
		w.active = append(w.active, w.sources[s].columns...)
	}
	slices.Sort(w.active)
	w.active = slices.Compact(w.active)
	for i, c := range w.active {
		w.at[c] = i
	}
}

// rankRest sets the ranks of the sources that were not found.
func (w *widener) rankRest() {
	w.zeros = reuse.Zeros(w.zeros, w.n)
	w.feature.Set(w.zeros)
	rank := w.feature.Place(querycontext.Rank)(0)
	for _, r := range w.ranks {
		if w.slots[r.source] == 0 {
			w.setAll(r.column, rank)
		}
	}
}

// setAll sets a column to the same value in all rows.
func (w *widener) setAll(column int, x float64) {
	for to := w.at[column]; to < len(w.out); to += len(w.active) {
		w.out[to] = x
	}
}

// nonzeros returns how many values of the query's context are in its rows: zeros are left out.
func (w *widener) nonzeros() (n int) {
	for _, x := range w.out {
		if x != 0 {
			n++
		}
	}
	return n
}

// fill computes the columns of a source that has these values.
func (w *widener) fill(values []float64, s source) {
	w.feature.Set(values)
	for k, kind := range s.kinds {
		place, to := w.feature.Place(kind), w.at[s.columns[k]]
		for _, x := range values {
			if math.IsNaN(x) {
				w.out[to] = x
			} else {
				w.out[to] = place(x)
			}
			to += len(w.active)
		}
	}
}

// context returns the active columns of row i.
func (w *widener) context(i int) []float64 { return w.out[i*len(w.active):][:len(w.active)] }

// widen appends a row to dst with its context, the one of row i: raw features, context columns, and the
// features that the columns do not know. Zero context is left out.
func (w *widener) widen(dst *query, i, number int, features []int32, values []float64) {
	raw, width := w.columns.Raw, len(w.columns.List)
	known, _ := slices.BinarySearch(features, int32(raw))
	dst.append(features[:known], values[:known])
	for j, x := range w.context(i) {
		if x != 0 {
			dst.features = append(dst.features, int32(raw+w.computed[w.active[j]]))
			dst.values = append(dst.values, x)
		}
	}
	for j, f := range features[known:] {
		dst.features, dst.values = append(dst.features, f+int32(width)), append(dst.values, values[known+j])
	}
	dst.end(number)
}

// Rows returns the documents of queries with the query context of the model, row-major; rows itself if the
// model has none. rows has the raw features of the documents, row-major, and sizes are the numbers of
// documents of the queries.
func (f Features) Rows(rows []float64, sizes ...int) (wide []float64) {
	if f.plan == nil {
		return rows
	}
	raw, width := f.plan.columns.Raw, len(f.plan.columns.List)
	features := make([]int32, raw)
	for i := range features {
		features[i] = int32(i)
	}
	w := widener{plan: f.plan}
	for _, n := range sizes {
		w.begin(n)
		for i := range n {
			w.set(i, features, rows[i*raw:(i+1)*raw])
		}
		w.finish()
		wide = slices.Grow(wide, n*(raw+width))
		for i := range n {
			wide = append(wide, rows[i*raw:(i+1)*raw]...)
			columns := wide[len(wide):][:width]
			clear(columns)
			for j, x := range w.context(i) {
				columns[w.computed[w.active[j]]] = x
			}
			wide = wide[:len(wide)+width]
		}
		rows = rows[n*raw:]
	}
	return wide
}
