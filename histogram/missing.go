package histogram

import "math"

// Missing is LightGBM's missing type of a feature: the values that count as missing. Rows with a missing
// value share a bin, and a split sends them left or right independently of its threshold.
type Missing uint8

const (
	MissingNone Missing = iota // no value is missing: NaN counts as 0
	MissingZero                // NaN is missing, and so is zero: magnitudes up to 1e-35
	MissingNaN                 // NaN is missing
)

// missingOf returns which values of a feature are missing. NaN has its own bin only if the sample has NaN and
// other values.
func (p *BinParams) missingOf(nans, others int) Missing {
	if p.Missing == MissingNaN && (nans == 0 || others == 0) {
		return MissingNone
	}
	return p.Missing
}

// dropNaNAndZero moves the values that are neither NaN nor zero to the front, in their order. It returns them
// and the number of NaNs.
func dropNaNAndZero(values []float64) (others []float64, nans int) {
	others = values[:0]
	for _, v := range values {
		switch {
		case math.Abs(v) > zeroBound:
			others = append(others, v)
		case v != v:
			nans++
		}
	}
	return others, nans
}

// missingBin returns the bin of missing values, or -1 if the feature has none. A categorical feature has
// none: missing values share bin 0 with rare categories, and always go right.
func (f *FeatureBins) missingBin() int {
	if f.IsCategorical() {
		return -1
	}
	switch f.Missing {
	case MissingZero:
		return int(f.Zero)
	case MissingNaN:
		return len(f.UpperBounds)
	}
	return -1
}

// nanBin returns the bin of NaN.
func (f *FeatureBins) nanBin() uint16 {
	if f.Missing == MissingNaN {
		return uint16(len(f.UpperBounds))
	}
	return f.Zero
}

// isMissing reports whether v, which is not NaN, is missing.
func (f *FeatureBins) isMissing(v float64) bool {
	return f.Missing == MissingZero && -zeroBound <= v && v <= zeroBound
}
