// Package querycontext computes what a feature's value means beside those of the other documents of
// its query.
//
// A tree sees one document. Raw features, such as BM25 or a price, often differ more between
// queries than within one; the place of a value in its own query does not. [Kind.Append] computes
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
package querycontext

import (
	"fmt"
	"math"
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

// ParseKind returns the kind that has a name. The error lists the names.
func ParseKind(name string) (Kind, error) {
	if k := Kind(name); slices.Contains(Kinds(), k) {
		return k, nil
	}
	names := make([]string, 0, len(Kinds()))
	for _, k := range Kinds() {
		names = append(names, string(k))
	}
	return "", fmt.Errorf("querycontext: no context is called %q; there are %s", name, strings.Join(names, ", "))
}

// Append appends to dst the context of each of a query's documents and returns the longer slice.
// values are the values of one feature, one a document: finite, or NaN where missing. They must not
// share memory with dst. A kind that does not exist panics; [ParseKind] returns those that do.
func (k Kind) Append(dst, values []float64) []float64 {
	place := k.formula(values)
	for _, x := range values {
		if math.IsNaN(x) && k != Count {
			dst = append(dst, math.NaN())
			continue
		}
		dst = append(dst, place(x))
	}
	return dst
}

// formula returns the function from a present value to its context. (For Count, from any value.)
func (k Kind) formula(values []float64) func(x float64) float64 {
	documents := float64(len(values))
	if k == Count {
		return func(float64) float64 { return documents }
	}
	sorted := present(values)
	if len(sorted) == 0 {
		return nil // no value is present, so nobody calls it
	}
	switch k {
	case Rank:
		return rank(sorted)
	case ZScore:
		return zscore(sorted)
	case Linear:
		return linear(sorted)
	case MaxRatio:
		return maxRatio(sorted)
	case GapToBest:
		best := sorted[len(sorted)-1]
		return func(x float64) float64 { return min(best-x, math.MaxFloat64) }
	}
	panic(fmt.Sprintf("querycontext: no context is called %q", string(k)))
}

// present returns the values that are not missing, ascending.
func present(values []float64) []float64 {
	sorted := make([]float64, 0, len(values))
	for _, x := range values {
		if !math.IsNaN(x) {
			sorted = append(sorted, x)
		}
	}
	slices.Sort(sorted)
	return sorted
}

func rank(sorted []float64) func(x float64) float64 {
	return func(x float64) float64 {
		below, _ := slices.BinarySearch(sorted, x)
		equal, _ := slices.BinarySearchFunc(sorted[below:], x, func(y, x float64) int {
			if y > x {
				return 1
			}
			return -1
		})
		return float64(2*below+equal) / float64(2*len(sorted))
	}
}

// zscore divides by the largest absolute value first, so that no square leaves the range of float64.
// The result does not change by that.
func zscore(sorted []float64) func(x float64) float64 {
	zero := func(float64) float64 { return 0 }
	if sorted[0] == sorted[len(sorted)-1] {
		return zero
	}
	scale, n := largest(sorted), float64(len(sorted))
	var mean, variance float64
	for _, x := range sorted {
		mean += x / scale
	}
	mean /= n
	for _, x := range sorted {
		d := x/scale - mean
		variance += float64(d * d)
	}
	deviation := math.Sqrt(variance / n)
	if deviation == 0 {
		return zero // the values differ by less than the mean's rounding
	}
	return func(x float64) float64 { return (x/scale - mean) / deviation }
}

// linear halves the values where their range leaves that of float64.
func linear(sorted []float64) func(x float64) float64 {
	low, high := sorted[0], sorted[len(sorted)-1]
	if low == high {
		return func(float64) float64 { return 0 }
	}
	if math.IsInf(high-low, 1) {
		return func(x float64) float64 { return (x/2 - low/2) / (high/2 - low/2) }
	}
	return func(x float64) float64 { return (x - low) / (high - low) }
}

func maxRatio(sorted []float64) func(x float64) float64 {
	scale := largest(sorted)
	if scale == 0 {
		return func(float64) float64 { return 0 }
	}
	return func(x float64) float64 { return x/scale + 0 } // not -0
}

// largest returns the largest absolute value.
func largest(sorted []float64) float64 {
	return max(math.Abs(sorted[0]), math.Abs(sorted[len(sorted)-1]))
}
