package histogram

import (
	"fmt"
	"math"
	"sort"
)

// FeatureBins are the bins of one feature: one for each upper bound, and one more for NaN if NaN is missing.
// A categorical feature has no upper bounds, but a bin for each of its frequent categories, and bin 0 for all
// other values. [Read] finds bins in data, and [NewFeatureBins] makes them from known bounds or categories.
// They are read-only once made.
type FeatureBins struct {
	UpperBounds []float64 // ascending, the last one +Inf; nil if the feature is categorical
	Categories  []int32   // of bins 1, 2, … of a categorical feature; nil if the feature is numeric
	Missing     Missing   // which values are missing
	Zero        uint16    // bin of the value 0
	Min, Max    float64   // smallest and largest of the sampled values that are not NaN

	// Sparse means that a [Matrix] stores only the bins that are not Zero. [Read] decides that from the
	// sample ([BinParams].Sparse).
	Sparse bool

	lookup *lookup // values to bins
}

// NewFeatureBins returns f with what [FeatureBins.Bin] needs to look values up, and with Zero set. All other
// fields of f must be set. It keeps the slices of f. The error matches [ErrRaw] if the fields are not valid.
func NewFeatureBins(f FeatureBins) (FeatureBins, error) {
	check := f.checkBounds
	if f.IsCategorical() {
		check = f.checkCategories
	}
	if err := check(); err != nil {
		return FeatureBins{}, err
	}
	if !(f.Min <= f.Max) || math.IsInf(f.Min, 0) || math.IsInf(f.Max, 0) {
		return FeatureBins{}, fmt.Errorf("%w: values from %v to %v", ErrRaw, f.Min, f.Max)
	}
	if f.IsCategorical() {
		f.lookup = newCategoryLookup(f.Categories)
		f.Zero = f.Bin(0)
		return f, nil
	}
	f.Zero = uint16(sort.SearchFloat64s(f.UpperBounds, 0))
	f.lookup = newLookup(&f)
	return f, nil
}

// checkBounds returns an error for bounds that a numeric feature cannot have.
func (f *FeatureBins) checkBounds() error {
	n := len(f.UpperBounds)
	if n < 1 || f.NumBins() > MostBins || !math.IsInf(f.UpperBounds[n-1], 1) {
		return fmt.Errorf("%w: %d upper bounds; wanted 1 to %d, the last one +Inf", ErrRaw, n, MostBins)
	}
	for i, u := range f.UpperBounds[:n-1] {
		if math.IsInf(u, 0) || !(u < f.UpperBounds[i+1]) {
			return fmt.Errorf("%w: upper bound %v before %v", ErrRaw, u, f.UpperBounds[i+1])
		}
	}
	if f.Missing > MissingNaN || f.Missing == MissingZero && n < 3 {
		return fmt.Errorf("%w: missing type %d with %d upper bounds", ErrRaw, f.Missing, n)
	}
	return nil
}

// NumBins returns the number of bins, 1 to [MostBins].
func (f *FeatureBins) NumBins() int {
	if f.IsCategorical() {
		return len(f.Categories) + 1
	}
	if f.Missing == MissingNaN {
		return len(f.UpperBounds) + 1
	}
	return len(f.UpperBounds)
}

// Bin returns the bin of v, which is below NumBins. The package documentation defines it.
func (f *FeatureBins) Bin(v float64) uint16 {
	if f.IsCategorical() {
		return f.lookup.categoryBin(v)
	}
	if f.lookup.wide != nil {
		return f.binWithoutTable(v)
	}
	if v != v {
		return uint16(f.lookup.nan)
	}
	return uint16(f.lookup.bin(v))
}

// hasTables reports whether the feature's bins are found by the tables of a [lookup].
func (f *FeatureBins) hasTables() bool { return !f.IsCategorical() && f.lookup.wide == nil }

// binWithoutTable returns the bin of v if there are few bounds, or too many for a table.
func (f *FeatureBins) binWithoutTable(v float64) uint16 {
	if f.lookup != noTables {
		return f.lookup.wide.bin(v)
	}
	if v != v {
		return f.nanBin()
	}
	if f.isMissing(v) {
		return f.Zero
	}
	bin := uint16(0)
	for v > f.UpperBounds[bin] {
		bin++
	}
	return bin
}

// searchBin is like Bin, without tables: the bin of missing values if v is missing, and otherwise the first
// bin whose upper bound is not below v. NaN that is not missing counts as 0. Tests compare Bin with it.
func (f *FeatureBins) searchBin(v float64) uint16 {
	if f.IsCategorical() {
		return f.searchCategory(v)
	}
	if math.IsNaN(v) {
		return f.nanBin()
	}
	if f.isMissing(v) {
		return f.Zero
	}
	return uint16(sort.SearchFloat64s(f.UpperBounds, v))
}

// Constant reports whether all sampled values lie in one bin, so that no split can use the feature.
func (f *FeatureBins) Constant() bool {
	if f.IsCategorical() {
		return len(f.Categories) == 0 || len(f.Categories) == 1 && f.Missing == MissingNone
	}
	return f.Missing != MissingNaN && f.searchBin(f.Min) == f.searchBin(f.Max)
}
