package letor

import (
	"fmt"

	"github.com/lambdamart/lambdamart/dataset"
)

// part is what a block tells about its rows, but the feature values.
type part struct {
	labels     []float64
	docs       []string // nil unless asked for
	runs       []run
	lastColumn int   // largest column, -1 if there is none
	err        error // what ended the block early; the rows before it are above
}

// run is consecutive rows of a block with the same query id, or all without one.
type run struct {
	id     string
	has    bool
	first  int // row number
	line   int // of the first row
	column int // of its query id, or of where that is missing
}

// token is what an error shows of a run.
func (r run) token() string {
	if !r.has {
		return ""
	}
	return shorten([]byte("qid:" + r.id))
}

// addQuery notes the query id of a row.
func (p *part) addQuery(row *parser) {
	id := row.queryID()
	if n := len(p.runs); n > 0 && p.runs[n-1].is(id) {
		return
	}
	p.runs = append(p.runs, run{
		id:     string(id),
		has:    id != nil,
		first:  row.row,
		line:   row.lineNumber,
		column: row.query.from - row.line + 1,
	})
}

// is tells whether a row with the given id, or nil, belongs to the run.
func (r run) is(id []byte) bool { return r.has == (id != nil) && r.id == string(id) }

// addRow notes the rest of a row.
func (p *part) addRow(row *parser, lastColumn int) {
	p.labels = append(p.labels, row.label)
	if row.keepDocs {
		p.docs = append(p.docs, row.doc)
	}
	p.lastColumn = max(p.lastColumn, lastColumn)
}

// sameKind fails unless all rows have query ids, or none: as the first row has.
func (r run) sameKind(first run, path string) error {
	switch {
	case r.has && !first.has:
		return r.fail(path, ErrQueryMixed, fmt.Sprintf("line %d has none", first.line))
	case !r.has && first.has:
		return r.fail(path, ErrQueryMissing, fmt.Sprintf("line %d has %s", first.line, first.token()))
	}
	return nil
}

func (r run) fail(path string, err error, detail string) error {
	return &Error{Path: path, Line: r.line, Column: r.column, Token: r.token(), Err: err, Detail: detail}
}

// joiner puts parts together, in the order of the file.
type joiner struct {
	path       string
	meta       *dataset.Meta
	first      run            // of the file
	last       run            // of the parts so far
	known      map[string]int // line on which each query began
	lastColumn int
	hasDocs    bool
}

func newJoiner(path string, rows int) *joiner {
	return &joiner{
		path:       path,
		meta:       &dataset.Meta{Labels: make([]float64, 0, rows)},
		known:      map[string]int{},
		lastColumn: -1,
	}
}

// add appends a part. Its error is the first in the file up to the part's end.
func (j *joiner) add(p *part) error {
	for _, r := range p.runs {
		if err := j.addRun(r); err != nil {
			return err
		}
	}
	j.meta.Labels = append(j.meta.Labels, p.labels...)
	for _, d := range p.docs {
		j.meta.Docs = append(j.meta.Docs, d)
		j.hasDocs = j.hasDocs || d != ""
	}
	j.lastColumn = max(j.lastColumn, p.lastColumn)
	return p.err
}

func (j *joiner) addRun(r run) error {
	if r.first == 0 {
		j.first = r
	}
	if err := r.sameKind(j.first, j.path); err != nil {
		return err
	}
	if !r.has || r.id == j.last.id {
		return nil // no query, or the query goes on from the block before
	}
	if line, seen := j.known[r.id]; seen {
		detail := fmt.Sprintf("the query begins on line %d, and %s on line %d is between", line, j.last.token(), j.last.line)
		return r.fail(j.path, ErrQueryReturns, detail)
	}
	j.known[r.id] = r.line
	j.meta.Queries = append(j.meta.Queries, dataset.Query{ID: r.id, First: r.first})
	j.last = r
	return nil
}

// finish completes what only all rows together say, and the companions of f.
func (j *joiner) finish(f *File) (*dataset.Meta, error) {
	m := j.meta
	if m.NumRows() == 0 {
		return nil, &Error{Path: j.path, Err: ErrEmpty}
	}
	if !j.hasDocs {
		m.Docs = nil
	}
	m.Features = dataset.ColumnNames(j.lastColumn + 1)
	if err := j.finishQueries(f); err != nil {
		return nil, err
	}
	weights, err := f.weights()
	if err != nil {
		return nil, err
	}
	if err := weights.apply(m, j.path); err != nil {
		return nil, err
	}
	return m, nil
}

func (j *joiner) finishQueries(f *File) error {
	m := j.meta
	if !j.first.has {
		counts, err := f.counts()
		if err != nil {
			return err
		}
		return counts.divide(m, j.path)
	}
	end := m.NumRows()
	for i := len(m.Queries) - 1; i >= 0; i-- {
		m.Queries[i].Len = end - m.Queries[i].First
		end = m.Queries[i].First
	}
	return nil
}
