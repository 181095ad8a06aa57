package data

import (
	"cmp"
	"context"
	"errors"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/io/data/internal/rows"
	"github.com/lambdamart/lambdamart/io/data/internal/table"
)

// ScoreOptions control how a table of scores is read: the names of its columns, and its form.
type ScoreOptions struct {
	Query, Target, Score string // empty: "query", "target" and "score"
	Weight               string // of the row; empty: no column, and .weight has the weights, if there is one

	Format string // as in [Layout]; LETOR text has no columns
}

// ScoreTable is an open table of documents that some system has scored already: CSV, TSV or Parquet, a file
// or a folder of parts. A row is a document. Three or four of its columns are read: its query, its target
// (the relevance grade), its score, and perhaps its weight, which the companion .weight may have instead. The
// first line of text names the columns; each part of a folder has its own first line, so its columns may be
// in another order than in other parts.
//
// A target or a score may be missing ([dataset.Missing]) or NaN, and a score may be infinite. The rows of a
// query need not follow each other. Memory does not depend on the number of rows.
//
// Its methods must not be called at the same time.
type ScoreTable struct {
	Weighted bool // rows have weights: in a column, or in the companion .weight

	path       string
	parts      []*table.Data
	companions *rows.Companions
}

// OpenScores opens the table of scores at path, a file or a folder of parts. Close it after use.
func OpenScores(path string, o ScoreOptions) (*ScoreTable, error) {
	inputs, err := table.OpenFiles(path, stream.Options{})
	if err != nil {
		return nil, err
	}
	t := &ScoreTable{path: path, companions: rows.CompanionsOf(path)}
	t.Weighted = o.Weight != "" || t.companions.HasWeights()
	for i, in := range inputs {
		part, err := table.New(in.Name(), in, o.table())
		switch {
		case err == nil:
			t.parts = append(t.parts, part)
		case errors.Is(err, dataset.ErrEmpty) && len(inputs) > 1:
			err = in.Close()
		}
		if err != nil {
			t.Close()
			table.Close(inputs[i:])
			return nil, err
		}
	}
	return t, nil
}

// table returns the options of one part.
func (o *ScoreOptions) table() table.Options {
	t := table.Options{Format: table.Format(o.Format), Header: table.WithHeader,
		Query: named + cmp.Or(o.Query, "query"), Label: named + cmp.Or(o.Target, "target"),
		Score: cmp.Or(o.Score, "score")}
	if o.Weight != "" {
		t.Weight = named + o.Weight
	}
	return t
}

// Close releases the files.
func (t *ScoreTable) Close() error {
	var first error
	for _, part := range t.parts {
		if err := part.Close(); first == nil {
			first = err
		}
	}
	return first
}

// CompanionWeights returns the weights of all rows from the companion .weight, given the queries of the rows.
// The companion has a line for each row or, if the rows of each query are consecutive, for each query.
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

// ErrNoColumn means that a table has no column of a name.
var ErrNoColumn = table.ErrNoColumn

// Blocks calls emit for all rows in their order, block by block, with the targets in Labels, the scores in
// Scores, and the weights of a column in Weights. The rows of each part are numbered from 0. An error of emit
// ends the reading and is returned unchanged. A table can be read again.
func (t *ScoreTable) Blocks(ctx context.Context, emit func(b *dataset.Block) error) error {
	none := true
	for _, part := range t.parts {
		err := dataset.Stream(ctx, part, takeScores, emit)
		if err != nil && !errors.Is(err, dataset.ErrEmpty) {
			return err
		}
		none = none && err != nil
	}
	if none {
		return &dataset.Error{Path: t.path, Err: dataset.ErrEmpty}
	}
	return nil
}

// takeScores sets the scores of the rows from their only feature or, if they have none, from their labels.
func takeScores(_ int, b *dataset.Block) error {
	copy(b.Scores, b.Labels)
	for i, row := range b.Rows {
		for _, v := range row.Value {
			b.Scores[i] = v
		}
	}
	return nil
}
