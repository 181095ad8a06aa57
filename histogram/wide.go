package histogram

import (
	"math"
	"sort"
)

// wideLookup finds the bins of a feature with too many bounds for a [lookup]. That of a part of the bounds,
// equally many of them apart, says between which two of these a value lies, and a search among the bounds
// between them finds its bin:
//
//	coarse   0                   1                   2
//	bounds   u0  u1  u2  u3  u4  u5  u6  u7  u8  u9  u10 …       each = 5
//	                         ▲                   ▲
type wideLookup struct {
	bounds []float64 // upper bounds
	each   int       // bounds of a coarse bin
	coarse *lookup
	nan    uint16 // bin of NaN
}

func newWideLookup(f *FeatureBins) *wideLookup {
	n := len(f.UpperBounds)
	w := &wideLookup{bounds: f.comparedBounds(), each: (n + mostInByte - 1) / mostInByte, nan: f.nanBin()}
	coarse := FeatureBins{}
	for last := w.each - 1; last < n-1; last += w.each {
		coarse.UpperBounds = append(coarse.UpperBounds, w.bounds[last])
	}
	coarse.UpperBounds = append(coarse.UpperBounds, math.Inf(1))
	coarse.Zero = uint16(sort.SearchFloat64s(coarse.UpperBounds, 0))
	w.coarse = makeLookup(&coarse)
	return w
}

// bin returns the bin of v.
func (w *wideLookup) bin(v float64) uint16 {
	if v != v {
		return w.nan
	}
	from := int(w.coarse.bin(v)) * w.each
	to := min(from+w.each, len(w.bounds)) - 1
	for from < to { // the bin is at least from, and at most to
		if middle := (from + to) / 2; v <= w.bounds[middle] {
			to = middle
		} else {
			from = middle + 1
		}
	}
	return uint16(from)
}
