// Package querycontext compares the feature values of a document with the values of the other documents of
// its query, and names the columns that hold the results.
//
// A tree sees one document. Raw features, such as BM25 or a price, often differ more between
// queries than within one; the place of a value in its own query does not. [Feature.Place] computes
// such places for one feature of one query.
//
// # Formulas
//
// Let x be a document's value, and let n be the number of documents in the query whose value is not
// missing; min, max, mean and the standard deviation are over these n values.
//
//	rank         (number of values below x + half the number equal to x) / n, in (0, 1)
//	zscore       (x - mean) / sqrt(mean of squared differences from the mean); 0 if all are equal
//	linear       (x - min) / (max - min), in [0, 1]; 0 if all are equal
//	max_ratio    x / largest absolute value, in [-1, 1]; 0 if all are 0
//	gap_to_best  max - x, 0 or more, at most the largest float64
//	count        number of documents in the query, missing values included
//
// The best value of gap_to_best is the largest one. Values that are equal get equal results; a
// rank counts x itself among the equal ones, so that a query with one document has rank 0.5. A
// missing value (NaN) stays missing, except for count, and changes nothing for the others.
//
// The results do not depend on the order of the documents: sums are over the sorted values.
//
// # Columns
//
// The context of a feature is a column of its own, after the raw features. [Columns] lists these columns; it
// is part of dataset.Meta for data that is read with them, and of tree.Ensemble for a model trained on it.
package querycontext

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is a kind of context. Its value is its name.
type Kind string

// The kinds, by the formulas of the package.
const (
	Rank      Kind = "rank"
	ZScore    Kind = "zscore"
	Linear    Kind = "linear"
	MaxRatio  Kind = "max_ratio"
	GapToBest Kind = "gap_to_best"
	Count     Kind = "count"
)

// Kinds returns all kinds.
func Kinds() []Kind { return []Kind{Rank, ZScore, Linear, MaxRatio, GapToBest, Count} }

// Check returns an error that lists all kinds unless k is one of them.
func (k Kind) Check() error {
	if slices.Contains(Kinds(), k) {
		return nil
	}
	list := strings.Trim(fmt.Sprint(Kinds()), "[]")
	return fmt.Errorf("no context is called %q; there are %s", string(k),
		strings.ReplaceAll(list, " ", ", "))
}
