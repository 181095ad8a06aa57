// Package dataset holds ranking data without a format.
//
// Ranking data is a sequence of rows, one judged document each. Consecutive
// rows that answer the same request are a query. A row has a relevance grade
// (its label), a vector of feature values, and perhaps a weight and a document
// id. Feature values are never all in memory: a [Source] is visited from end to
// end, as often as needed, and hands out one row at a time.
//
// # Numbers
//
// Rows, queries and features are numbered from 0 over the whole data, in input
// order, whatever worker or machine reads them. The feature number is the
// number that the file gives it: "5:0.3" is feature 5. Files in the LETOR form
// begin at 1, so their feature 0 is a constant zero. LightGBM, XGBoost and
// leaves number the columns of such files in the same way, and so models can be
// exchanged.
//
// Labels, weights and values are float64 from the text to their last use: a
// threshold means the same to every program that reads the model.
package dataset

import "context"

// Query is a run of consecutive rows that answer one request.
type Query struct {
	ID    string // as in the file, without "qid:"; the number of the query where the file has none
	First int    // row number of the first document
	Len   int    // number of documents, at least 1
}

// Meta is everything about ranking data but the feature values.
// A source fills it; after that it is read-only and may be shared.
type Meta struct {
	Queries  []Query   // in row order, without gaps: they cover all rows
	Labels   []float64 // relevance grade of each row
	Weights  []float64 // weight of each row; nil where all weigh 1
	Docs     []string  // document id of each row; nil where the file has none, or where they were not asked for
	Features []string  // names; len(Features) is the number of features, the largest feature number plus 1

	// InitialScores are the scores from which training begins, one a row; nil where
	// all begin at 0. They are no part of the model.
	InitialScores []float64

	LabelColumn  int      // of the label, where the data is a table; models tell it to LightGBM
	EmptyQueries int      // queries without rows, which the source left out
	Remarks      []string // what the source noticed and a person should know
}

// NumRows returns the number of rows.
func (m *Meta) NumRows() int { return len(m.Labels) }

// NumFeatures returns the number of features, used or not.
func (m *Meta) NumFeatures() int { return len(m.Features) }

// Row is one document's features. Absent features are zero.
// A row and its slices belong to the source and are valid only during the call
// that hands them out.
type Row struct {
	Number  int       // of the row in the whole data
	Feature []int32   // feature numbers, strictly ascending
	Value   []float64 // Value[i] is the value of Feature[i]; may be zero; NaN is a missing value
}

// Source is ranking data that can be read from end to end more than once.
type Source interface {
	// Scan reads all rows once, in parallel, and returns what it learned
	// about them. It calls visit for each row whose number keep accepts (a nil
	// keep accepts all), both from up to [Source.Workers] goroutines at once, in no
	// order; worker, from 0, tells which goroutine calls. The values of rows
	// that keep refuses are neither converted nor checked.
	//
	// Rows are offered to keep in an order of which only this is certain: when
	// row r is offered, the data has at least r+1 rows.
	//
	// Every call returns the same Meta for the same data, or an error that
	// names file, line and column.
	Scan(ctx context.Context, keep func(row int) bool, visit func(worker int, row Row) error) (*Meta, error)

	// Workers returns the number of goroutines that Scan uses.
	Workers() int

	// NumRows returns the number of rows where it can be had without
	// converting values, as for a plain file, and false where the data must be
	// read for it, as for a compressed one.
	NumRows(ctx context.Context) (rows int, known bool, err error)
}
