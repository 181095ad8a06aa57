package histogram

import (
	"math"
	"sort"
	"strconv"
)

// Mapper holds the bins of every feature. It is read-only once found, and the
// same mapper must bin all data of one training: bins of two mappers do not
// compare.
type Mapper struct {
	Features []FeatureBins // by feature number
}

// FeatureBins are the bins of one feature: one for each upper bound, and one more
// for NaN where that is missing.
type FeatureBins struct {
	UpperBounds []float64 // ascending, the last one +Inf
	Missing     Missing   // which values are missing
	Zero        uint8     // bin of the value 0
	Min, Max    float64   // of the sampled values that are not NaN

	lookup *lookup
}

// Constant tells that all sampled values lie in one bin, so that the feature
// cannot split anything.
func (f *FeatureBins) Constant() bool {
	return f.Missing != MissingNaN && f.searchBin(f.Min) == f.searchBin(f.Max)
}

// NumBins returns the number of bins, 1 to 255.
func (f *FeatureBins) NumBins() int {
	if f.Missing == MissingNaN {
		return len(f.UpperBounds) + 1
	}
	return len(f.UpperBounds)
}

// searchBin is the meaning of a bin, and the oracle of the table look-up in Bin:
// that of missing values if v is missing, or else the first one whose upper bound
// is not below v. NaN that is not missing counts as 0.
func (f *FeatureBins) searchBin(v float64) uint8 {
	if math.IsNaN(v) {
		return f.nanBin()
	}
	if f.isMissing(v) {
		return f.Zero
	}
	return uint8(sort.SearchFloat64s(f.UpperBounds, v))
}

// finder finds bins, of one feature after the other: its memory is used again.
type finder struct {
	keys, spare []uint64   // of sortValues
	distinct    []distinct // of upperBounds
}

// find finds the bins of a feature from its sampled values, of which it makes
// what it likes, and the number of sampled zeros that are not among them.
//
// NaN takes a bin from the others. As in LightGBM a feature of which only two
// bins come out has no missing zeros: they are as good as any value.
func (w *finder) find(values []float64, zeros int, p BinParams) FeatureBins {
	all := len(values)
	values, nans := dropNaNAndZero(values)
	zeros += all - len(values) - nans
	f := FeatureBins{Missing: p.missingOf(nans, len(values)+zeros)}
	if f.Missing == MissingNaN {
		p.MaxBin--
	} else {
		zeros += nans
	}
	w.sortValues(values)
	f.UpperBounds = w.upperBounds(values, zeros, p)
	if f.Missing == MissingZero && len(f.UpperBounds) <= 2 {
		f.Missing = MissingNone
	}
	f.Zero = uint8(sort.SearchFloat64s(f.UpperBounds, 0))
	if len(values) > 0 {
		f.Min, f.Max = values[0], values[len(values)-1]
	}
	if zeros > 0 {
		f.Min, f.Max = min(f.Min, 0), max(f.Max, 0)
	}
	f.lookup = newLookup(&f)
	return f
}

// NumConstant returns the number of constant features.
func (m *Mapper) NumConstant() int {
	n := 0
	for i := range m.Features {
		if m.Features[i].Constant() {
			n++
		}
	}
	return n
}

// columns returns the features that can split, ascending.
func (m *Mapper) columns() []int32 {
	var used []int32
	for f := range m.Features {
		if !m.Features[f].Constant() {
			used = append(used, int32(f))
		}
	}
	return used
}

// binCounts returns the number of bins of each column.
func (m *Mapper) binCounts() []int {
	var counts []int
	for _, f := range m.columns() {
		counts = append(counts, m.Features[f].NumBins())
	}
	return counts
}

// Range returns the feature's entry in a model's feature_infos: "[min:max]" of
// the sampled values, or "none" if the feature is constant.
func (f *FeatureBins) Range() string {
	if f.Constant() {
		return "none"
	}
	format := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	return "[" + format(f.Min) + ":" + format(f.Max) + "]"
}

// NumBins returns the number of bins of all features that can split.
func (m *Mapper) NumBins() int {
	bins := 0
	for _, f := range m.columns() {
		bins += m.Features[f].NumBins()
	}
	return bins
}
