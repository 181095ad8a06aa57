package data

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/io/data/internal/rows"
	"github.com/lambdamart/lambdamart/io/data/internal/tables"
)

// ScoreOptions say how a table of scores is read: the names of its columns, and its form.
type ScoreOptions struct {
	Query, Target, Score string
	Weight               string // of the row; empty: no column, and .weight has the weights, if there is one

	Format string // as in [Layout]; LETOR text has no columns
}

// DefaultScoreOptions names the columns "query", "target" and "score".
func DefaultScoreOptions() ScoreOptions {
	return ScoreOptions{Query: "query", Target: "target", Score: "score"}
}

// scoreBatchRows is the number of rows of a batch.
const scoreBatchRows = 1 << 14

// ScoreBatch is consecutive rows of a table.
type ScoreBatch struct {
	Query         []string  // equal ids that follow each other share their memory
	Target, Score []float64 // NaN where missing
	Weight        []float64 // nil without a column of weights

	MissingTargets, NaNTargets int
	MissingScores, NaNScores   int
}

// ScoreTable is an open table of documents that some system has scored already: CSV, TSV or Parquet, a file
// or a folder of parts. A row is a document, and three columns of it count, or four: its query, its target
// (the relevance grade), its score, and its weight, which the companion .weight may have instead. The first
// line of text names the columns; each part of a folder has its own first line, and so its columns may be in
// another order than those of other parts.
//
// An empty or blank cell, "null", and a null of Parquet are missing. A missing target or score is NaN in a
// [ScoreBatch], as is one that is NaN in the table, and a batch counts the two kinds separately. A missing
// query and an infinite target are errors. Infinite scores are scores. The rows of a query need not follow
// each other. Memory does not depend on the number of rows.
//
// Its methods must not be called at the same time.
type ScoreTable struct {
	parts      []scorePart
	opts       ScoreOptions
	companions *rows.Companions
}

// scorePart is one file of a table.
type scorePart struct {
	in     *stream.Input
	format tables.Format // of a table
}

// OpenScores opens the table of scores at path, a file or a folder of parts. Close it after use.
func OpenScores(path string, opts ScoreOptions) (*ScoreTable, error) {
	inputs, err := tables.Open(path, stream.Options{})
	if err != nil {
		return nil, err
	}
	t := &ScoreTable{opts: opts, companions: rows.CompanionsOf(path)}
	for _, in := range inputs {
		t.parts = append(t.parts, scorePart{in, tables.Format(opts.Format).OfTable(in)})
	}
	return t, nil
}

// Close releases the files.
func (t *ScoreTable) Close() error {
	var inputs []*stream.Input
	for _, p := range t.parts {
		inputs = append(inputs, p.in)
	}
	return tables.Close(inputs)
}

// IsWeighted reports whether rows have weights: in a column, or in the companion .weight.
func (t *ScoreTable) IsWeighted() bool { return t.opts.Weight != "" || t.companions.HasWeights() }

// CompanionWeights returns the weights of all rows, given their queries, that the companion .weight has: a
// line for each row, or one for each query if the rows of each follow each other.
func (t *ScoreTable) CompanionWeights(query []string) ([]float64, error) {
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

// ErrNoColumn says that a table has no column of a name.
var ErrNoColumn = tables.ErrNoColumn

// What can be wrong with a table of scores, beside what can be wrong with any table. These errors come in a
// [*dataset.Error], which has the place.
var (
	errNoScoreRows = errors.New("the table is empty: the first line must name the columns")
	errNumber      = errors.New("not a number")
	errTarget      = errors.New("the target is infinite")
	errRecord      = errors.New("the row has more or fewer cells than the first line")
)

// scoreReader reads one part. next fills a batch with up to scoreBatchRows rows, and returns io.EOF when
// there are none.
type scoreReader interface {
	next(b *ScoreBatch) error
	close()
}

// Rows calls emit for all rows in their order, batch by batch. A batch is valid until emit returns;
// its strings may be kept. While emit runs, the next batch is read. An error of emit ends the
// reading and is returned as it is. A table can be read again.
func (t *ScoreTable) Rows(ctx context.Context, emit func(*ScoreBatch) error) error {
	for i := range t.parts {
		if err := t.readPart(ctx, &t.parts[i], emit); err != nil {
			return err
		}
	}
	return nil
}

func (t *ScoreTable) readPart(ctx context.Context, p *scorePart, emit func(*ScoreBatch) error) error {
	r, err := t.open(p)
	if err != nil || r == nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	full, empty := make(chan *ScoreBatch, 1), make(chan *ScoreBatch, 2)
	empty <- new(ScoreBatch)
	empty <- new(ScoreBatch)
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
func readAhead(ctx context.Context, r scoreReader, full chan<- *ScoreBatch, empty <-chan *ScoreBatch) error {
	for {
		var b *ScoreBatch
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
func (t *ScoreTable) open(p *scorePart) (scoreReader, error) {
	switch p.format {
	case tables.Parquet:
		return openScoreParquet(p.in, t.opts)
	case tables.TSV:
		return openScoreText(p.in, t.opts, '\t', len(t.parts) > 1)
	}
	return openScoreText(p.in, t.opts, ',', len(t.parts) > 1)
}

// scorePlaces are those of the wanted columns; weight is -1 if none is wanted.
type scorePlaces struct{ query, target, score, weight int }

// find returns the place of each wanted column among names.
func (c *ScoreOptions) find(path string, names []string) (p scorePlaces, err error) {
	place := func(wanted string) int {
		found := -1
		for i, name := range names {
			switch {
			case name != wanted || err != nil:
			case found >= 0:
				err = &dataset.Error{Path: path, Field: wanted, Err: tables.ErrRepeated}
			default:
				found = i
			}
		}
		if found < 0 && err == nil {
			err = &dataset.Error{Path: path, Field: wanted,
				Err: fmt.Errorf("%w (there are %s)", tables.ErrNoColumn, strings.Join(names, ", "))}
		}
		return found
	}
	p = scorePlaces{place(c.Query), place(c.Target), place(c.Score), -1}
	if c.Weight != "" {
		p.weight = place(c.Weight)
	}
	return p, err
}

// isWeight reports whether a number can be a weight.
func isWeight(v float64) bool { return v >= 0 && !math.IsInf(v, 0) }
