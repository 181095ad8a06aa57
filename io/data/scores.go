package data

import (
	"cmp"
	"context"
	"errors"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/arrays"
	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/widened"
	"github.com/lambdamart/lambdamart/io/data/internal/rows"
	"github.com/lambdamart/lambdamart/io/data/internal/table"
	"github.com/lambdamart/lambdamart/scoring"
	"github.com/lambdamart/lambdamart/tree"
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
	t.Weighted = o.Weight != "" || t.companions.Exists(".weight")
	for i, in := range inputs {
		part, err := table.New(in.Name(), []*stream.Input{in}, o.table())
		switch {
		case err == nil:
			t.parts = append(t.parts, part)
		case errors.Is(err, dataset.ErrEmpty) && len(inputs) > 1:
			err = in.Close()
		}
		if err != nil {
			t.Close()
			stream.CloseAll(inputs[i:])
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
func (t *ScoreTable) Close() error { return stream.CloseAll(t.parts) }

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

// Errors of the columns of tables.
var (
	ErrNoColumn  = table.ErrNoColumn  // no column has the name
	ErrTwoRoles  = table.ErrTwoRoles  // one column was chosen for two uses
	ErrNoQueries = table.ErrNoQueries // no column has the query ids
)

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

// ErrFeatureZero explains that the model and the data number features differently.
var ErrFeatureZero = errors.New("the model uses feature 0, which no row of the LETOR text has: it was " +
	"probably trained on a matrix whose first column is feature 1, as scikit-learn's loader makes it; then " +
	"set feature_base=1")

// ErrUnknownCategories means that a model of LightGBM has the categories of a data frame, and that its file
// does not record the columns of the frame to which they belong.
var ErrUnknownCategories = errors.New("the model has the categories of a data frame (pandas_categorical), " +
	"and which features they belong to cannot be known from it; " +
	"score the data frame in Python, or add a line [category_features: 0,5] with the numbers of the frame's " +
	"columns of categories, from 0, after the line parameters: of the model file")

// OpenFor opens a data file whose rows are to be scored by m: columns of a table are matched to the features
// of m by name, and o.Features is set to them. Package scoring streams the outputs of a model for the rows of
// such a file: scores, leaves, contributions of features, a TREC run. Close the file after use.
//
// LETOR text is numbered as that on which m was trained, if m knows that (feature_base=1). The error wraps
// [ErrFeatureZero] if m uses feature 0 and the text has none; other errors come from [Open].
func OpenFor(m scoring.Model, path string, o Options) (*File, error) {
	o.Features = FeaturesOf(m)
	if widened.Of(m) != nil {
		o.Once = false // the queries must be known before some ways of scoring
	}
	f, err := Open(path, o)
	if err == nil && !o.InitialScores && f.hasInitialScores(path) {
		f.doubts = append(f.doubts, path+": has initial scores, which are not part of the model, and so not "+
			"of the scores here: if training began at such scores, add them")
	}
	return f, err
}

// hasInitialScores reports whether rows have scores from which training begins.
func (f *File) hasInitialScores(path string) bool {
	if set, ok := f.File.(arrays.Set); ok {
		return set.Meta().InitialScores != nil
	}
	return rows.CompanionsOf(path).Exists(".init")
}

// FeaturesOf returns the features that the columns of a table must have to be scored by m.
func FeaturesOf(m scoring.Model) *dataset.Features {
	f := &dataset.Features{Names: m.FeatureNames(), Used: m.UsedFeatures(), Infinite: tree.Compares(m),
		Numbering: provenance.NumberingOf(m)}
	if c := widened.Of(m); c != nil {
		f.Names, f.Used = f.Names[:c.Raw], c.Sources(f.Used)
	}
	if e, ok := m.(*tree.Ensemble); ok {
		f.Label, f.Dictionaries = e.LabelIndex, e.Dictionaries
		if e.UnknownCategories {
			f.NoTable = ErrUnknownCategories
		}
		f.NoZero = len(e.Features) > 0 && e.Features[0].Range == "none"
	}
	return f
}
