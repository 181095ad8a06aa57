package histogram

import "sort"

// finder finds the bins of one feature after another, and reuses its memory.
type finder struct {
	keys, spare []uint64   // of sortValues
	distinct    []distinct // of upperBounds
	others      int        // number of values of the latest feature that are not 0
}

// find finds the bins of a feature. values are its sampled values in any order; find overwrites them. zeros
// is the number of sampled zeros that are not among them.
//
// If NaN is missing, the other values have one bin less. As in LightGBM, zeros of a feature with only two
// bins are not missing.
func (w *finder) find(values []float64, zeros int, p BinParams) FeatureBins {
	all := len(values)
	values, nans := dropNaNAndZero(values)
	w.others = len(values) + nans
	zeros += all - len(values) - nans
	f := FeatureBins{Missing: p.missingOf(nans, len(values)+zeros)}
	if f.Missing == MissingNaN {
		p.MaxBin--
	} else {
		zeros += nans
	}
	w.sortValues(values)
	f.UpperBounds = w.upperBounds(values, zeros, &p)
	if f.Missing == MissingZero && len(f.UpperBounds) <= 2 {
		f.Missing = MissingNone
	}
	f.Zero = uint16(sort.SearchFloat64s(f.UpperBounds, 0))
	if len(values) > 0 {
		f.Min, f.Max = values[0], values[len(values)-1]
	}
	if zeros > 0 {
		f.Min, f.Max = min(f.Min, 0), max(f.Max, 0)
	}
	f.lookup = newLookup(&f)
	return f
}
