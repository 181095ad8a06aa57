package histogram

import "math"

// lookup finds the bin of a value from the leading bits of the float64: a table
// of equal steps over the order-preserving integer form of the finite bounds
// gives the first bin that can be meant, and a short walk up the bounds finds
// it. Bounds that crowd into few steps make the walk longer, never wrong.
type lookup struct {
	first uint64  // key of the first step
	shift uint    // bits of a key below a step
	start []uint8 // first bin of each step
}

// lookupSteps bounds a table's length: 136 tables of 1 KiB stay in a
// second-level cache.
const lookupSteps = 1024

// newLookup makes the table of ascending bounds, of which the last is +Inf.
func newLookup(bounds []float64) lookup {
	finite := bounds[:len(bounds)-1]
	if len(finite) == 0 {
		return lookup{}
	}
	l := lookup{first: orderedKey(finite[0])}
	span := orderedKey(finite[len(finite)-1]) - l.first
	for span>>l.shift >= lookupSteps {
		l.shift++
	}
	l.start = make([]uint8, span>>l.shift+1)
	bin := 0
	for step := range l.start {
		for orderedKey(finite[bin])-l.first < uint64(step)<<l.shift {
			bin++
		}
		l.start[step] = uint8(bin)
	}
	return l
}

// orderedKey maps float64s other than NaN to integers in the same order.
func orderedKey(v float64) uint64 {
	b := math.Float64bits(v)
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

// Bin returns the bin of v, a number below NumBins. NaN counts as 0.
func (f *FeatureBins) Bin(v float64) uint8 {
	key := orderedKey(v)
	last := uint8(len(f.UpperBounds) - 1)
	switch {
	case v != v:
		return f.Zero
	case v <= f.UpperBounds[0]: // also -0, whose key is below that of 0
		return 0
	}
	step := (key - f.lookup.first) >> f.lookup.shift
	if step >= uint64(len(f.lookup.start)) {
		return last
	}
	b := f.lookup.start[step]
	for v > f.UpperBounds[b] {
		b++
	}
	return b
}
