package rows

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/wording"
)

// queryRun is consecutive rows of a block that have the same query id, or that all have none.
type queryRun struct {
	id     string
	has    bool
	first  int // row number
	line   int // of the first row; the number of that row, from 1, if rows are not lines
	column int // of its query id, or of the place where that is missing, in bytes from 1
}

// is reports whether a row with the given id, nil for none, belongs to the run.
func (r queryRun) is(id []byte) bool { return r.has == (id != nil) && r.id == string(id) }

// token returns the text that an error shows for a run: its query id as in the file.
func (o *Options) token(r queryRun) string {
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

func (o *Options) fail(path string, r queryRun, err error, detail string) error {
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

// Joiner takes blocks in the order of the data, and joins what was found in them, or emits them.
type Joiner struct {
	*turn
	data    *Data
	opts    *Options                     // of the data
	emit    func(b *dataset.Block) error // nil: blocks are joined
	emitted int                          // rows
	first   queryRun                     // of the data

	// of joined blocks
	meta    *dataset.Meta
	last    queryRun       // the newest one
	known   map[string]int // line on which each query begins, by id
	columns int            // largest feature number plus 1
	bytes   int
	hasDocs bool
	places  places
}

// NewJoiner returns a Joiner without blocks, which ends when ctx does. If emit is nil, it joins them, and
// makes room for the labels of a number of rows. Close it after use.
func NewJoiner(ctx context.Context, d *Data, emit func(b *dataset.Block) error, rows int) *Joiner {
	meta := d.Opts.Meta
	meta.Labels = make([]float64, 0, rows)
	j := &Joiner{turn: newTurn(ctx), data: d, opts: &d.Opts, emit: emit, meta: &meta, known: map[string]int{}}
	for _, name := range j.opts.More {
		j.meta.More = append(j.meta.More, dataset.Labels{Name: name})
	}
	if j.opts.first != nil {
		j.first = *j.opts.first
	}
	return j
}

// Take receives the block with an index among those of the data, which err has ended if it is not nil, and
// reports whether there is more to do. A block that is emitted waits until those before it are. Others are
// joined when these are, and b is a new one.
func (j *Joiner) Take(index int, b *Block, err error) (goOn bool) {
	b.err = err
	if j.emit != nil {
		return j.take(index, true, func() error { return j.pass(b) })
	}
	own := *b
	*b = Block{Block: dataset.Block{Rows: own.Rows}}
	return j.take(index, false, func() error { return j.add(&own) })
}

// pass emits a block.
func (j *Joiner) pass(b *Block) error {
	for _, r := range b.runs {
		if err := j.checkKind(b.Path, r); err != nil {
			return err
		}
	}
	if b.err != nil || b.Len() == 0 {
		return b.err
	}
	j.emitted += b.Len()
	return j.emit(&b.Block)
}

// add appends what was found in a block. Its error is the first one in the data up to the end of the block.
func (j *Joiner) add(b *Block) error {
	for _, r := range b.runs {
		if err := j.addRun(b.Path, r); err != nil {
			return err
		}
	}
	j.meta.Labels = append(j.meta.Labels, b.Labels...)
	j.meta.Weights = append(j.meta.Weights, b.Weights...)
	for i, labels := range b.more {
		j.meta.More[i].Values = append(j.meta.More[i].Values, labels...)
	}
	if err := j.places.append(b.Path, &b.places); err != nil {
		return err
	}
	for _, d := range b.Docs {
		j.meta.Docs = append(j.meta.Docs, d)
		j.hasDocs = j.hasDocs || d != ""
	}
	j.columns = max(j.columns, b.columns)
	j.bytes += b.bytes
	return b.err
}

// checkKind returns an error unless a run, in the order of the data, has query ids as the first one: all rows
// have one, or none has.
func (j *Joiner) checkKind(path string, r queryRun) error {
	o := j.opts
	if r.first == 0 && o.first == nil {
		j.first = r
	}
	switch first := j.first; {
	case r.has && !first.has:
		return o.fail(path, r, dataset.ErrQueryMixed, fmt.Sprintf("%s %d has none", o.lineWord(), first.line))
	case !r.has && first.has:
		return o.fail(path, r, dataset.ErrQueryMissing, fmt.Sprintf("%s %d has %s", o.lineWord(), first.line,
			o.token(first)))
	}
	return nil
}

func (j *Joiner) addRun(path string, r queryRun) error {
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

// Result returns the Meta of all blocks, or nil if they were emitted. The error is the first one of a block,
// or one of the data as a whole.
func (j *Joiner) Result() (*dataset.Meta, error) {
	path, c := j.data.Path, j.data.Companions
	switch err := cmp.Or(j.ctx.Err(), j.Err()); {
	case err != nil && err != io.EOF:
		return nil, err
	case j.emitted+j.meta.NumRows() == 0 && j.opts.IsEmpty():
		return nil, &dataset.Error{Path: path, Err: dataset.ErrEmpty}
	case j.emit == nil:
		return j.finish(path, c)
	case j.first.has:
		return nil, nil
	}
	return nil, c.CheckCounts(j.emitted)
}

// finish completes the Meta: with the lengths of queries, which only their ends show, and what the companions
// c add.
func (j *Joiner) finish(path string, c *Companions) (*dataset.Meta, error) {
	m := j.meta
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
	if m.Features != nil && j.columns > len(m.Features) {
		return nil, &dataset.Error{Path: path, Err: dataset.ErrFeatureName,
			Detail: fmt.Sprintf("columns up to %d, names up to column %d", j.columns-1, len(m.Features)-1)}
	}
	if m.Features == nil {
		if err := j.checkLast(path); err != nil {
			return nil, err
		}
		m.Features = wording.ColumnNames(m.Part.Group().MaxOf(j.columns))
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
func (o *Options) HaveIDs(has bool) { o.first = &queryRun{has: has} }

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
	if j.columns <= max(freeNumbers, j.bytes) {
		return nil
	}
	return &dataset.Error{Path: path, Token: strconv.Itoa(j.columns - 1), Err: dataset.ErrFeatureFar,
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
