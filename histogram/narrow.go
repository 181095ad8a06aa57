package histogram

import (
	"math"
	"slices"
)

// Narrow returns a mapper of the first n features, with the bins of m for those that keep accepts. The others
// are constant: a matrix has no columns for them, and no tree is split on them.
func (m *Mapper) Narrow(n int, keep func(feature int) bool) *Mapper {
	narrow := &Mapper{Features: slices.Clone(m.Features[:n]), stored: m.stored}
	for f := range narrow.Features {
		if !keep(f) {
			narrow.Features[f] = narrow.Features[f].constant()
		}
	}
	return narrow
}

// constant returns a single bin of the kind of f, numeric or categorical.
func (f *FeatureBins) constant() FeatureBins {
	if f.IsCategorical() {
		return FeatureBins{Categories: []int32{}, lookup: newCategoryLookup(nil)}
	}
	return FeatureBins{UpperBounds: []float64{math.Inf(1)}, lookup: oneBin}
}

// Narrow returns a matrix of the rows of x with the columns of m, which [Mapper.Narrow]
// returned for the mapper of x or for an equal mapper.
func (x *Matrix) Narrow(m *Mapper) *Matrix {
	narrow := newMatrix(m, x.rows)
	narrow.sparse = x.narrowSparse(narrow)
	from := make([]Field, len(narrow.Columns))
	var dense []int // columns
	for c, f := range narrow.Columns {
		from[c] = x.Fields[x.ColumnOf[f]]
		narrow.NaNs[f] = x.NaNs[f]
		if !from[c].Sparse {
			dense = append(dense, c)
		}
	}
	for row := range x.rows {
		src, dst := x.Row(row), narrow.Row(row)
		for _, c := range dense {
			narrow.Fields[c].put(dst, from[c].Of(src))
		}
	}
	return narrow
}

// Value returns a value of a bin: Bin(Value(bin)) is bin. It is NaN for the bin of missing values if NaN is
// missing, 0 for the bin of 0, and otherwise the largest value of the bin. Trees of these bins send it to the
// same side as every value of the bin.
func (f *FeatureBins) Value(bin uint16) float64 {
	switch n := len(f.UpperBounds); {
	case f.IsCategorical():
		if bin == 0 {
			return -1 // no category
		}
		return float64(f.Categories[bin-1])
	case int(bin) >= n:
		return math.NaN()
	case bin == f.Zero:
		return 0
	case int(bin) == n-1:
		return math.Nextafter(f.UpperBounds[n-2], math.Inf(1)) // n is not 1, since 0 lies in another bin
	case f.isMissing(f.UpperBounds[bin]): // the bound of the bin below 0, if 0 is missing
		return math.Nextafter(f.UpperBounds[bin], math.Inf(-1))
	default:
		return f.UpperBounds[bin]
	}
}
