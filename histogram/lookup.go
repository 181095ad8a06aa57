package histogram

import "math"

// lookup finds the bin of a value from the leading bits of the float64: a table
// of equal steps over the order-preserving integer form of the finite bounds
// gives the first bin that can be meant, and a short walk up the bounds finds
// it. Bounds that crowd into few steps make the walk longer, never wrong.
type lookup struct {
	first  uint64 // key of the first bound, where the first step begins
	shift  uint8  // bits of a key below a step
	last   uint8  // bin of values beyond the last step
	zero   uint8  // bin of 0
	steps  [lookupSteps]uint8
	bounds [256]float64 // upper bounds, and +Inf beyond them
}

// lookupSteps bounds the table: 136 tables and their bounds stay in a
// second-level cache.
const lookupSteps = 1024

// newLookup makes the table of ascending bounds, of which the last is +Inf.
// There are at most 255.
func newLookup(bounds []float64, zero uint8) *lookup {
	l := &lookup{last: uint8(len(bounds) - 1), zero: zero}
	for b := range l.bounds {
		l.bounds[b] = math.Inf(1)
	}
	finite := bounds[:copy(l.bounds[:], bounds)-1]
	if len(finite) == 0 {
		return l
	}
	l.first = orderedKey(finite[0])
	span := orderedKey(finite[len(finite)-1]) - l.first
	for span>>l.shift >= lookupSteps {
		l.shift++
	}
	bin := 0
	for step := range l.steps {
		for bin < len(finite) && (orderedKey(finite[bin])-l.first)>>l.shift < uint64(step) {
			bin++
		}
		l.steps[step] = uint8(bin)
	}
	return l
}

// orderedKey maps float64s other than NaN to integers in the same order.
func orderedKey(v float64) uint64 {
	b := math.Float64bits(v)
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

// bin returns the bin of v. NaN counts as 0.
func (l *lookup) bin(v float64) uint8 {
	if !(v > l.bounds[0]) { // also -0, whose key is below that of 0
		if v != v {
			return l.zero
		}
		return 0
	}
	step := (orderedKey(v) - l.first) >> (l.shift & 63)
	if step >= lookupSteps {
		return l.last
	}
	b := l.steps[step]
	for v > l.bounds[b] {
		b++
	}
	return b
}

// Bin returns the bin of v, a number below NumBins. NaN counts as 0.
func (f *FeatureBins) Bin(v float64) uint8 { return f.lookup.bin(v) }
