package scored

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data/format"
	"github.com/lambdamart/lambdamart/io/data/internal/rows"
	"github.com/lambdamart/lambdamart/io/data/internal/tables"
	"github.com/lambdamart/lambdamart/io/stream"
)

// Columns are the names of the columns that are read.
type Columns struct {
	Query, Target, Score string
	Weight               string // of the row; empty: no column, and .weight has the weights, if there is one
}

// DefaultColumns are "query", "target" and "score".
func DefaultColumns() Columns { return Columns{Query: "query", Target: "target", Score: "score"} }

// Options say how a table is read.
type Options struct {
	Columns Columns
	Format  format.Format // CSV, TSV or Parquet; LETOR text has no columns
}

// batchRows is the number of rows of a batch.
const batchRows = 1 << 14

// Batch is consecutive rows of a table.
type Batch struct {
	Query         []string  // equal ids that follow each other share their memory
	Target, Score []float64 // NaN where missing
	Weight        []float64 // nil without a column of weights

	MissingTargets, NaNTargets int
	MissingScores, NaNScores   int
}

// Table is an open table. Its methods must not be called at the same time.
type Table struct {
	parts      []part
	opts       Options
	companions *rows.Companions
}

// part is one file of a table.
type part struct {
	in     *stream.Input
	format format.Format // of a table
}

// Open opens the table at path, a file or a folder of parts. Close it after use.
func Open(path string, opts Options) (*Table, error) {
	inputs, err := tables.Open(path, stream.Options{})
	if err != nil {
		return nil, err
	}
	t := &Table{opts: opts, companions: rows.CompanionsOf(path)}
	for _, in := range inputs {
		t.parts = append(t.parts, part{in, opts.Format.OfTable(in)})
	}
	return t, nil
}

// Close releases the files.
func (t *Table) Close() error {
	var inputs []*stream.Input
	for _, p := range t.parts {
		inputs = append(inputs, p.in)
	}
	return tables.Close(inputs)
}

// IsWeighted reports whether rows have weights: in a column, or in the companion .weight.
func (t *Table) IsWeighted() bool { return t.opts.Columns.Weight != "" || t.companions.HasWeights() }

// CompanionWeights returns the weights of all rows, given their queries, that the companion .weight has: a
// line for each row, or one for each query if the rows of each follow each other.
func (t *Table) CompanionWeights(query []string) ([]float64, error) {
	m, seen := &dataset.Meta{Labels: make([]float64, len(query))}, map[string]bool{}
	for row, id := range query {
		if row == 0 || id != query[row-1] {
			m.Queries = append(m.Queries, dataset.Query{ID: id, First: row})
			if seen[id] {
				m.EmptyQueries++ // a line for each query would not say which rows are meant
			}
			seen[id] = true
		}
		m.Queries[len(m.Queries)-1].Len++
	}
	err := t.companions.AddWeights(m)
	return m.Weights, err
}

// rowReader reads one part. next fills a batch with up to batchRows rows, and returns io.EOF when
// there are none.
type rowReader interface {
	next(b *Batch) error
	close()
}

// Rows calls emit for all rows in their order, batch by batch. A batch is valid until emit returns;
// its strings may be kept. While emit runs, the next batch is read. An error of emit ends the
// reading and is returned as it is. A table can be read again.
func (t *Table) Rows(ctx context.Context, emit func(*Batch) error) error {
	for i := range t.parts {
		if err := t.readPart(ctx, &t.parts[i], emit); err != nil {
			return err
		}
	}
	return nil
}

func (t *Table) readPart(ctx context.Context, p *part, emit func(*Batch) error) error {
	r, err := t.open(p)
	if err != nil || r == nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	full, empty := make(chan *Batch, 1), make(chan *Batch, 2)
	empty <- new(Batch)
	empty <- new(Batch)
	var failure error // of the reader; valid once full is closed
	go func() {
		defer close(full)
		failure = readAhead(ctx, r, full, empty)
		r.close()
	}()
	defer func() {
		cancel()
		for range full { // the reader must have ended before the file is closed
		}
	}()
	for b := range full {
		if err := emit(b); err != nil {
			return err
		}
		empty <- b
	}
	return failure
}

// readAhead fills batches until the rows end.
func readAhead(ctx context.Context, r rowReader, full chan<- *Batch, empty <-chan *Batch) error {
	for {
		var b *Batch
		select {
		case b = <-empty:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if err := r.next(b); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		select {
		case full <- b:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// open returns a reader of a part. It is nil if the part is an empty file, one of several.
func (t *Table) open(p *part) (rowReader, error) {
	switch p.format {
	case format.Parquet:
		return openParquet(p.in, t.opts.Columns)
	case format.TSV:
		return openText(p.in, t.opts.Columns, '\t', len(t.parts) > 1)
	}
	return openText(p.in, t.opts.Columns, ',', len(t.parts) > 1)
}

// places are those of the wanted columns; weight is -1 if none is wanted.
type places struct{ query, target, score, weight int }

// find returns the place of each wanted column among names.
func find(path string, names []string, c Columns) (p places, err error) {
	place := func(wanted string) int {
		found := -1
		for i, name := range names {
			switch {
			case name != wanted || err != nil:
			case found >= 0:
				err = &dataset.Error{Path: path, Field: wanted, Err: ErrRepeated}
			default:
				found = i
			}
		}
		if found < 0 && err == nil {
			err = &dataset.Error{Path: path, Field: wanted,
				Err: fmt.Errorf("%w (there are %s)", ErrNoColumn, strings.Join(names, ", "))}
		}
		return found
	}
	p = places{place(c.Query), place(c.Target), place(c.Score), -1}
	if c.Weight != "" {
		p.weight = place(c.Weight)
	}
	return p, err
}

// isWeight reports whether a number can be a weight.
func isWeight(v float64) bool { return v >= 0 && !math.IsInf(v, 0) }
