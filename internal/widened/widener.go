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

// add appends a row.
func (q *query) add(number int, features []int32, values []float64) {
	if len(q.starts) == 0 {
		q.starts = append(q.starts, 0)
	}
	q.numbers = append(q.numbers, number)
	q.features, q.values = append(q.features, features...), append(q.values, values...)
	q.starts = append(q.starts, len(q.features))
}

// row returns the features of row i.
func (q *query) row(i int) (features []int32, values []float64) {
	from, to := q.starts[i], q.starts[i+1]
	return q.features[from:to], q.values[from:to]
}

// plan maps raw features to the columns that are computed from them.
type plan struct {
	columns *querycontext.Columns
	sources []source
	place   []int32 // by raw feature: its place in sources, or -1
	counts  []int   // columns that count the documents, by their places in columns.List
}

// source is a raw feature that has context columns.
type source struct {
	kinds   []querycontext.Kind
	columns []int // of the kinds, by their places in columns.List
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
	column := p.columns.List[i]
	if column.Kind == querycontext.Count {
		p.counts = append(p.counts, i)
		return
	}
	if p.place[column.Feature] < 0 {
		p.place[column.Feature] = int32(len(p.sources))
		p.sources = append(p.sources, source{})
	}
	s := &p.sources[p.place[column.Feature]]
	s.kinds, s.columns = append(s.kinds, column.Kind), append(s.columns, i)
}

// widener computes the context of one query after the other. A goroutine has one.
type widener struct {
	*plan
	out []float64 // rows × context columns, row-major

	// The values of the query by source: source s has starts[s] to starts[s+1].
	starts []int
	rows   []int32
	values []float64

	column  []float64 // of the source in progress, one per row
	feature querycontext.Feature

	// The row that is handed out.
	wideFeatures []int32
	wideValues   []float64
}

// compute computes the context of a query.
func (w *widener) compute(q *query) {
	n, width := q.len(), len(w.columns.List)
	w.out = reuse.Slice(w.out, n*width)
	clear(w.out)
	w.transpose(q)
	w.column = reuse.Slice(w.column, n)
	for s := range w.sources {
		w.fill(s)
	}
	for _, i := range w.counts {
		for r := range n {
			w.out[r*width+i] = float64(n)
		}
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

// transpose sorts the values of a query by source.
func (w *widener) transpose(q *query) {
	w.starts = reuse.Slice(w.starts, len(w.sources)+1)
	clear(w.starts)
	for _, f := range q.features {
		if s := w.sourceOf(f); s >= 0 {
			w.starts[s+1]++
		}
	}
	for s := range w.sources {
		w.starts[s+1] += w.starts[s]
	}
	total := w.starts[len(w.sources)]
	w.rows, w.values = reuse.Slice(w.rows, total), reuse.Slice(w.values, total)
	for r := range q.len() {
		features, values := q.row(r)
		for i, f := range features {
			if s := w.sourceOf(f); s >= 0 {
				w.rows[w.starts[s]], w.values[w.starts[s]] = int32(r), values[i]
				w.starts[s]++
			}
		}
	}
	copy(w.starts[1:], w.starts) // each start has become the next one
	w.starts[0] = 0
}

func (w *widener) sourceOf(feature int32) int32 {
	if int(feature) < len(w.place) {
		return w.place[feature]
	}
	return -1
}

// fill computes the columns of one source.
func (w *widener) fill(s int) {
	clear(w.column)
	for i := w.starts[s]; i < w.starts[s+1]; i++ {
		w.column[w.rows[i]] = w.values[i]
	}
	w.feature.Set(w.column)
	width := len(w.columns.List)
	for k, kind := range w.sources[s].kinds {
		place, to := w.feature.Place(kind), w.sources[s].columns[k]
		for _, x := range w.column {
			if math.IsNaN(x) {
				w.out[to] = x
			} else {
				w.out[to] = place(x)
			}
			to += width
		}
	}
}

// row returns row i of the query that was computed last, with its context: raw features, context
// columns, and the features that the columns do not know. Zero context is left out. The slices are
// valid until the next call.
func (w *widener) row(q *query, i int) (features []int32, values []float64) {
	raw, rawValues := q.row(i)
	width := len(w.columns.List)
	known := len(raw)
	for known > 0 && int(raw[known-1]) >= w.columns.Raw {
		known--
	}
	features, values = append(w.wideFeatures[:0], raw[:known]...), append(w.wideValues[:0], rawValues[:known]...)
	for j, x := range w.out[i*width : (i+1)*width] {
		if x != 0 {
			features, values = append(features, int32(w.columns.Raw+j)), append(values, x)
		}
	}
	for j := known; j < len(raw); j++ {
		features, values = append(features, raw[j]+int32(width)), append(values, rawValues[j])
	}
	w.wideFeatures, w.wideValues = features, values
	return features, values
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
		var q query
		for i := range n {
			q.add(i, features, rows[i*raw:(i+1)*raw])
		}
		w.compute(&q)
		wide = slices.Grow(wide, n*(raw+width))
		for i := range n {
			wide = append(append(wide, rows[i*raw:(i+1)*raw]...), w.out[i*width:(i+1)*width]...)
		}
		rows = rows[n*raw:]
	}
	return wide
}
