// Package dataset describes ranking data, whatever its file format.
//
// Ranking data is a sequence of rows, each of which is a judged document. Consecutive rows that answer the
// same request are a query. A row has a relevance grade (its label), a vector of feature values, and perhaps
// a weight and a document id. Feature values need not be in memory: a [Source] is read from end to end, as
// often as needed, and passes blocks of rows to its reader. Everything else is in memory, in the [Meta].
// [FromRows] and [NewDense] make a source of values in memory.
//
// # Numbers
//
// Rows, queries and features are numbered from 0 over the whole data, in input order; the numbers
// do not depend on the worker that reads them. The number of a feature is the one in the file:
// "5:0.3" is feature 5. LETOR files begin at 1, so their feature 0 is always zero. LightGBM,
// XGBoost and leaves number the columns of such files in the same way, so that models can be exchanged.
//
// Labels, weights and values are parsed as float64 and stay float64, so a threshold means the same to every
// program that reads the model.
package dataset

import (
	"context"
	"math"

	"github.com/lambdamart/lambdamart/internal/querycontext"
)

// Query is a sequence of consecutive rows that answer one request.
type Query struct {
	ID    string // as in the file, without "qid:"; the number of the query if the file has none
	First int    // number of the first row
	Len   int    // number of rows, at least 1
}

// QueryContext lists columns that are computed from the values of all documents of a query.
type QueryContext = querycontext.Columns

// Meta is everything about ranking data except the feature values. A source fills it; then it is
// read-only and may be shared. [Meta.Check] checks the rules below.
type Meta struct {
	Queries  []Query   // in row order, without gaps: they cover all rows
	Labels   []float64 // relevance grade of each row
	Weights  []float64 // weight of each row; nil if all are 1
	Docs     []string  // document id of each row; nil if the file has none or they were not requested
	Features []string  // names; len(Features) is the number of features, the largest feature number plus 1

	LabelName string   // name of Labels; empty if they have none
	More      []Labels // further labels, which objectives and metrics name; nil if there are none

	// InitialScores are the scores from which training begins, one per row; nil if all are 0. They are not
	// part of the model.
	InitialScores []float64

	// Positions are the numbers of the places at which the documents were shown when their labels, such as
	// clicks, were collected: indexes of PositionNames, one per row; nil if they are not known.
	Positions     []int32
	PositionNames []string // the places as in the file, such as "1", in the order in which they first appear

	// Pairs are the preferences that objective=pairs learns, in the order of [ComparePairs]; nil if none were
	// given.
	Pairs []Pair

	// Context lists the features that are query context, which follow the raw ones; nil if there are none.
	Context *QueryContext

	// Part identifies this peer's part of the data if peers share it; nil if this is all of the data. Errors
	// and other messages number rows within the part.
	Part *Part

	// Dictionaries are the texts of categorical features of a table, by feature: the value i of such a
	// feature stands for text i. nil if there are none.
	Dictionaries map[int][]string

	// Absent are the features that no row can have, ascending: columns of a table that are queries, weights
	// or ids, or that are ignored. As in LightGBM, they count as features. Rows for a model need not have
	// values for them.
	Absent []int

	// Whole is the data from which Select selected the queries of this data, and Selected has their indexes
	// in Whole; both are nil if nothing was selected.
	Whole    *Meta
	Selected []int

	// Numbering is how the LETOR text of the data numbers its features, which models keep.
	Numbering Numbering

	// Numbered means that features have numbers in the file, as in LETOR text.
	Numbered bool

	chosen string // name of Labels if WithLabels chose them

	// Where, if not nil, finds the place of a row in the file that it was read from, for messages: the path and
	// the line or row, given its number in the data of all peers, and the name of the column of labels in a
	// table; nil if it cannot be found, as for what was read from a pipe. It may read the file again.
	Where func(row int) *Error

	LabelColumn  int      // of the label, if the data is a table; written to models, for LightGBM
	EmptyQueries int      // queries without rows, which the source left out
	Remarks      []string // observations of the source, one sentence each, to be shown to the user
}

// Numbering is how LETOR text numbers the features of a model.
type Numbering int8

const (
	// Unnumbered is the numbering of data that is not LETOR text, or of text whose feature n is column n and
	// that has no feature 0.
	Unnumbered Numbering = iota
	// FromZero is the numbering of text whose feature n is column n, and that has feature 0.
	FromZero
	// FromOne is the numbering of text whose feature n is column n-1 (feature_base=1).
	FromOne
)

// NumRows returns the number of rows.
func (m *Meta) NumRows() int { return len(m.Labels) }

// NumFeatures returns the number of features, used or not.
func (m *Meta) NumFeatures() int { return len(m.Features) }

// Row is one document's feature values. Features that are not listed are zero. A row and its slices
// belong to the source and are valid only during the call that passes them.
type Row struct {
	Number  int       // of the row in the whole data
	Feature []int32   // feature numbers, strictly ascending
	Value   []float64 // Value[i] is the value of Feature[i]; may be zero; NaN is a missing value
}

// Missing is the NaN that stands for a cell without a value, such as an empty one or a null. Only code that
// counts missing cells distinguishes it from any other NaN.
var Missing = math.Float64frombits(math.Float64bits(math.NaN()) + 1)

// Source is ranking data that can be read from end to end more than once.
type Source interface {
	// Blocks reads all rows once, in parallel, and passes them in blocks, as the pass says. It returns
	// everything but their values, or nil in a pass with Emit. An error of the pass or of the data ends the
	// reading and is returned; in a pass with Emit, all blocks before the error have then been emitted, and
	// none after it.
	//
	// Every call returns the same Meta for the same data, or an error that names file, line and column.
	Blocks(ctx context.Context, p Pass) (*Meta, error)

	// Workers returns the number of goroutines that Blocks uses.
	Workers() int

	// NumRows returns the number of rows if it can be determined without converting values, as in a plain
	// file; known is false if all of the data must be read, as in a compressed file.
	NumRows(ctx context.Context) (rows int, known bool, err error)

	// HasWeights reports whether rows have weights. Blocks do not have them, only Meta does.
	HasWeights() bool

	// Part identifies this peer's part of the data, or returns nil if the source is all of the data. It lacks
	// the numbers of queries, which are in the Meta of a pass.
	Part() *Part
}

// File is ranking data that is open. Its methods must not be called at the same time. Whoever opens it must
// close it after use.
type File interface {
	Source

	// Close releases the files. No other method may be called afterwards.
	Close() error
}

// Features describes the features of a model, or of the data that it is trained on. Columns of other data are
// matched to them.
type Features struct {
	Names []string // by number
	Label int      // column of the label in the data that the model was trained on
	Used  []int    // numbers of the features that a table must have; nil means all

	// OfTraining means that these are the features of training data, not of a model. Errors tell which.
	OfTraining bool

	// Infinite means that infinite values are accepted like others, because the model only compares values.
	Infinite bool

	// Dictionaries are the texts of categorical features, by feature: category i is text i.
	Dictionaries map[int][]string

	// Numbering is that of the LETOR text that the model was trained on.
	Numbering Numbering

	// NoZero means that feature 0 did not vary in the training data.
	NoZero bool

	// NoTable, if it is not nil, is the reason why a table cannot be read for the model.
	NoTable error
}
