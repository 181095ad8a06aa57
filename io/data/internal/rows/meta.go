package rows

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/wording"
)

// found is everything that was found in a block except the feature values.
type found struct {
	labels     []float64
	weights    []float64   // nil if rows have none
	more       [][]float64 // further labels, by label; nil if rows have none
	places     places
	docs       []string // nil unless Options.Docs asks for them
	runs       []run
	lastColumn int   // largest feature number, -1 if there is none
	bytes      int   // of text
	err        error // what ended the block early; the other fields are about the rows before it
}

// run is consecutive rows of a block that have the same query id, or that all have none.
type run struct {
	id     string
	has    bool
	first  int // row number
	line   int // of the first row; the number of that row, from 1, if rows are not lines
	column int // of its query id, or of the place where that is missing, in bytes from 1
}

// AddQuery notes the query id of a row.
func (f *found) AddQuery(row *Row) {
	if n := len(f.runs); n > 0 && f.runs[n-1].is(row.Query) {
		return
	}
	f.runs = append(f.runs, run{
		id:     string(row.Query),
		has:    row.Query != nil,
		first:  row.Number,
		line:   row.Line,
		column: row.QueryColumn,
	})
}

// is reports whether a row with the given id, nil for none, belongs to the run.
func (r run) is(id []byte) bool { return r.has == (id != nil) && r.id == string(id) }

// noRows is what is found in a block without rows.
var noRows = found{lastColumn: -1}

// AddRow records labels, weight, position and document of a row.
func (f *found) AddRow(row *Row, keep *Options) {
	f.labels = append(f.labels, row.Label)
	if keep.Weights {
		f.weights = append(f.weights, row.Weight)
	}
	if f.more == nil {
		f.more = make([][]float64, len(keep.More))
	}
	for i, label := range row.More {
		f.more[i] = append(f.more[i], label)
	}
	if keep.Places {
		f.places.add(row.Place, true)
	}
	if keep.Docs {
		f.docs = append(f.docs, row.Doc)
	}
	f.lastColumn = max(f.lastColumn, row.Last)
}

// sameKind returns an error unless a run has query ids as the first one of the data: all rows have
// one, or none has.
func (o *Options) sameKind(path string, r, first run) error {
	switch {
	case r.has && !first.has:
		return o.fail(path, r, dataset.ErrQueryMixed, fmt.Sprintf("%s %d has none", o.lineWord(), first.line))
	case !r.has && first.has:
		return o.fail(path, r, dataset.ErrQueryMissing, fmt.Sprintf("%s %d has %s", o.lineWord(), first.line,
			o.token(first)))
	}
	return nil
}

// token returns the text that an error shows for a run: its query id as in the file.
func (o *Options) token(r run) string {
	if !r.has {
		return ""
	}
	return Shorten([]byte(o.QueryPrefix + r.id))
}

// lineWord returns the word that messages use for the place of a row.
func (o *Options) lineWord() string {
	if o.NoLines {
		return "row"
	}
	return "line"
}

// howToSort says what sorts the data by queries, and keeps the order of the rows of each.
func (o *Options) howToSort() string {
	switch {
	case o.QueryField != "":
		return fmt.Sprintf("; in SQL ORDER BY %q, in pandas sort_values(%[1]q, kind=\"stable\")", o.QueryField)
	case o.QueryPrefix != "":
		return "; sort -s -k2,2 does"
	}
	return ""
}

func (o *Options) fail(path string, r run, err error, detail string) error {
	if r.has && len(o.Remarks) > 0 {
		detail += "; " + strings.Join(o.Remarks, "; ")
	}
	e := &dataset.Error{Path: path, Line: r.line, Column: r.column, Field: o.QueryField, Token: o.token(r),
		Err: err, Detail: detail}
	if o.NoLines {
		e.Row, e.Line, e.Column = int64(r.line), 0, 0
	}
	return e
}

// Joiner joins what was found in blocks, in the order of the data.
type Joiner struct {
	opts       *Options
	meta       *dataset.Meta
	first      run            // of the data
	last       run            // the newest one
	known      map[string]int // line on which each query begins, by id
	lastColumn int
	bytes      int
	hasDocs    bool
	emitted    int // rows
	places     places
}

// NewJoiner returns a Joiner without blocks. It makes room for the labels of a number of rows.
func NewJoiner(opts *Options, rows int) *Joiner {
	meta := opts.Meta
	meta.Labels = make([]float64, 0, rows)
	j := &Joiner{opts: opts, meta: &meta, known: map[string]int{}, lastColumn: -1}
	for _, name := range opts.More {
		j.meta.More = append(j.meta.More, dataset.Labels{Name: name})
	}
	if opts.first != nil {
		j.first = *opts.first
	}
	return j
}

// add appends what was found in a block of the file at path. Its error is the first one in the data
// up to the end of the block.
func (j *Joiner) add(path string, p *found) error {
	for _, r := range p.runs {
		if err := j.addRun(path, r); err != nil {
			return err
		}
	}
	j.meta.Labels = append(j.meta.Labels, p.labels...)
	j.meta.Weights = append(j.meta.Weights, p.weights...)
	for i, labels := range p.more {
		j.meta.More[i].Values = append(j.meta.More[i].Values, labels...)
	}
	if err := j.places.append(path, &p.places); err != nil {
		return err
	}
	for _, d := range p.docs {
		j.meta.Docs = append(j.meta.Docs, d)
		j.hasDocs = j.hasDocs || d != ""
	}
	j.lastColumn = max(j.lastColumn, p.lastColumn)
	j.bytes += p.bytes
	return p.err
}

// checkKind returns an error if a run, in the order of the data, is not of the kind of the first one.
func (j *Joiner) checkKind(path string, r run) error {
	if r.first == 0 && j.opts.first == nil {
		j.first = r
	}
	return j.opts.sameKind(path, r, j.first)
}

func (j *Joiner) addRun(path string, r run) error {
	if err := j.checkKind(path, r); err != nil {
		return err
	}
	if !r.has || r.id == j.last.id {
		return nil // no query, or the query continues from the block before
	}
	if line, seen := j.known[r.id]; seen {
		place := j.opts.lineWord()
		detail := fmt.Sprintf("the query begins on %s %d, and %s on %s %d is between%s", place, line,
			j.opts.token(j.last), place, j.last.line, j.opts.howToSort())
		return j.opts.fail(path, r, dataset.ErrQueryReturns, detail)
	}
	j.known[r.id] = r.line
	j.meta.Queries = append(j.meta.Queries, dataset.Query{ID: r.id, First: r.first})
	j.last = r
	return nil
}

// Take receives the next block of the data: it is emitted, or its rows are added. Its error is the first
// one in the data up to the end of the block.
func (j *Joiner) Take(b *Block, emit func(b *dataset.Block) error) error {
	if emit == nil {
		return j.add(b.Path, &b.found)
	}
	for _, r := range b.found.runs {
		if err := j.checkKind(b.Path, r); err != nil {
			return err
		}
	}
	if b.found.err != nil || b.Len() == 0 {
		return b.found.err
	}
	j.emitted += b.Len()
	return emit(&b.Block)
}

// Ended returns an error if the data, whose blocks were all emitted, is not valid as a whole.
func (j *Joiner) Ended(path string, c *Companions) error {
	switch {
	case j.emitted == 0 && j.opts.IsEmpty():
		return &dataset.Error{Path: path, Err: dataset.ErrEmpty}
	case j.first.has:
		return nil
	}
	return c.CheckCounts(j.emitted)
}

// Finish returns the Meta of all blocks: with the lengths of queries, which only their ends show,
// and what the companions c add.
func (j *Joiner) Finish(path string, c *Companions) (*dataset.Meta, error) {
	m := j.meta
	if m.NumRows() == 0 && j.opts.IsEmpty() {
		return nil, &dataset.Error{Path: path, Err: dataset.ErrEmpty}
	}
	if !j.hasDocs {
		m.Docs = nil
	}
	if part := j.opts.Part; part != nil {
		own := *part
		m.Part = &own
		if j.opts.Places {
			if err := j.places.agree(path, part); err != nil {
				return nil, err
			}
		}
	}
	m.Positions, m.PositionNames = j.places.rows, j.places.names
	j.opts.showAbsent(m)
	if m.Features != nil && j.lastColumn >= len(m.Features) {
		return nil, &dataset.Error{Path: path, Err: dataset.ErrFeatureName,
			Detail: fmt.Sprintf("columns up to %d, names up to column %d", j.lastColumn, len(m.Features)-1)}
	}
	if m.Features == nil {
		if err := j.checkLast(path); err != nil {
			return nil, err
		}
		m.Features = wording.ColumnNames(m.Part.Group().MaxOf(j.lastColumn + 1))
	}
	if err := j.finishQueries(c); err != nil {
		return nil, err
	}
	if err := c.complete(m); err != nil {
		return nil, err
	}
	return m, j.finishPart(path)
}

// finishPart sets the index of this part's first query in the data of all peers. It returns an error if a
// query has rows in several parts. All peers must call it if the data is a part.
func (j *Joiner) finishPart(path string) error {
	m := j.meta
	if m.Part == nil {
		return nil
	}
	g := m.Part.Peers
	m.Part.FirstQuery, m.Part.Queries = sumBefore(g, len(m.Queries))
	if j.opts.seen {
		return nil
	}
	j.opts.seen = true
	n, found := g.FindElsewhere(len(m.Queries), func(n int) string { return m.Queries[n].ID })
	if found {
		return &dataset.Error{Path: path, Token: m.Queries[n].ID, Err: dataset.ErrQueryReturns,
			Detail: "its rows are in the parts of several peers"}
	}
	return nil
}

// HaveIDs sets whether rows have query ids, which cannot be seen in a part without rows.
func (o *Options) HaveIDs(has bool) { o.first = &run{has: has} }

// IsEmpty reports whether the data of all peers has no rows, given that this part has none.
func (o *Options) IsEmpty() bool { return o.Part == nil || o.Part.Rows == 0 }

// showAbsent sets empty slices in a part without rows for the values that the rows of other parts have.
func (o *Options) showAbsent(m *dataset.Meta) {
	if o.Weights && m.Weights == nil {
		m.Weights = []float64{}
	}
	if o.Places && m.Positions == nil {
		m.Positions = []int32{}
	}
}

// freeNumbers is the number of features that text may have however short it is.
const freeNumbers = 1 << 20

// checkLast returns an error if the largest feature number is out of proportion to the text, since each
// number up to it takes memory, some hundred bytes.
func (j *Joiner) checkLast(path string) error {
	if j.lastColumn < max(freeNumbers, j.bytes) {
		return nil
	}
	return &dataset.Error{Path: path, Token: strconv.Itoa(j.lastColumn), Err: dataset.ErrFeatureFar,
		Detail: fmt.Sprintf("the text has %d bytes; numbers from %d on must be below that", j.bytes, freeNumbers)}
}

func (j *Joiner) finishQueries(c *Companions) error {
	m := j.meta
	if !j.first.has {
		return c.divide(m, j.opts.NoQueries)
	}
	if c.Exists(".query") {
		m.Remarks = append(m.Remarks, c.file(".query")+" is not read: the rows have query ids")
	}
	end := m.NumRows()
	for i := len(m.Queries) - 1; i >= 0; i-- {
		m.Queries[i].Len = end - m.Queries[i].First
		end = m.Queries[i].First
	}
	return nil
}
