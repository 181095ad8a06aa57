// Package sql writes models as SQL statements.
//
// # The statement
//
// The file is one SELECT over a table. It returns all columns of the table and a column with the score of
// each row:
//
//	SELECT unnest(lambdamart_row), s AS "score" FROM (
//	SELECT lambdamart_row, f0, f1, 0e+00
//	+ CASE WHEN f1 > 2.5e+00 THEN 1e+00 ELSE CASE WHEN f0 <= 3e+00 THEN 2e+00 ELSE 3e+00 END END
//	AS s FROM (
//	SELECT lambdamart_row
//	, NULLIF(CAST(lambdamart_row."bm25" AS DOUBLE), 'NaN'::DOUBLE) AS f0
//	, NULLIF(CAST(lambdamart_row."price" AS DOUBLE), 'NaN'::DOUBLE) AS f1
//	FROM "documents" AS lambdamart_row) AS q) AS q;
//
// Each tree is a line. Each sub-select adds 100 trees, the last ones in the outermost, because databases
// limit the nesting depth of expressions. PostgreSQL has other types and expands the row differently; its
// OFFSET 0 prevents the optimizer from merging the sub-selects, which would compute f0 at each use.
//
// # Exactness
//
// NULL and NaN are missing values. Columns of any type are converted to double first. All numbers are written
// so that the database reads them as double with the same bits: without an exponent, a literal would be a
// decimal in DuckDB, and without quotes in PostgreSQL. Trees are added in order, so the score equals the
// model's in every bit, for all missing types, categories, averages and linear leaves. A comparison with NULL
// is neither true nor false, and CASE then takes ELSE. So a split that sends missing values right is written
// f <= t with the left child after THEN, and one that sends them left is written f > t with the right child
// there.
//
// PostgreSQL reports an error if a product in a linear leaf exceeds the range of double.
//
// # Names
//
// Column names are quoted. Names that a database would truncate, treat as equal or refuse are refused.
package sql

import (
	"github.com/lambdamart/lambdamart/io/model/internal/fault"
)

// Dialect is the SQL of a database. Its value is its name.
type Dialect string

// The dialects.
const (
	DuckDB     Dialect = "duckdb"
	PostgreSQL Dialect = "postgresql"
)

// Options determine how a statement is written.
type Options struct {
	Dialect Dialect
	Table   string // with its schema before a dot or without
	Score   string // name of the column of the score
}

// MaxDepth is the largest number of splits above a leaf that is written. DuckDB refuses expressions that
// nest deeper than 1000.
const MaxDepth = 800

// maxColumns is the largest number of features in use for PostgreSQL, whose tables have no more columns.
const maxColumns = 1600

// maxWords is the largest number of 32-bit words in the sets of categories of a model. It bounds the memory
// that a damaged file takes: a short list may name a high category.
const maxWords = 1 << 26

// Kinds of faults, to be found with [errors.Is].
var (
	// ErrName: a name that the database cannot hold.
	ErrName = fault.Kind(fault.ErrFormat, "bad name")
	// ErrDepth: a tree that nests too deep.
	ErrDepth = fault.Kind(fault.ErrUnsupported, "a tree too deep for a database")
	// ErrEmpty: a model without splits, whose scores are all equal.
	ErrEmpty = fault.Kind(fault.ErrUnsupported, "a model without splits")
	// ErrColumns: more features than a table may have columns.
	ErrColumns = fault.Kind(fault.ErrUnsupported, "too many features")
)

// ErrFormat: the options cannot be written as a statement.
var ErrFormat = fault.Kind(fault.ErrFormat, "not a statement of a model")
