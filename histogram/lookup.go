package histogram

import "math"

// lookup finds the bin of a value from the leading bits of the float64. For
// negative values and for positive ones there is a table of equal steps over the
// order-preserving integer form of their bounds. It gives a bin that is not above
// the one that is meant, and a short walk up the bounds finds that. Bounds that
// crowd into few steps make the walk longer, never wrong.
//
// The bounds on both sides of zero, -1e-35 and 1e-35, are in no table: steps that
// reached from them to the next bound would be so wide that all others shared a few.
type lookup struct {
	sides  [2]side // by sign bit
	nan    uint8   // bin of NaN
	bounds [256]float64
}

// side is the table of one sign.
type side struct {
	first uint64 // key of the first bound, where the first step begins
	shift uint8  // bits of a key below a step
	low   uint8  // bin from which to walk for values up to the first bound
	high  uint8  // bin from which to walk for values beyond the last step
	steps [sideSteps]uint8
}

// sideSteps bounds the tables: those of 136 features and their bounds stay in a
// second-level cache.
const sideSteps = 512

// newLookup makes the tables of a feature's bounds. Beyond them bounds are +Inf.
func newLookup(f *FeatureBins) *lookup {
	l := &lookup{nan: f.nanBin()}
	for b := range l.bounds {
		l.bounds[b] = math.Inf(1)
	}
	finite := f.UpperBounds[:copy(l.bounds[:], f.UpperBounds)-1]
	negative, positive := 0, 0 // numbers of the first bounds that are not negative, and that are positive
	for negative < len(finite) && finite[negative] < -zeroBound {
		negative++
	}
	for positive = negative; positive < len(finite) && finite[positive] <= zeroBound; {
		positive++
	}
	l.sides[1] = newSide(finite, 0, negative, 0)
	l.sides[0] = newSide(finite, positive, len(finite), f.Zero)
	if f.isMissing(-zeroBound) && f.Zero > 0 {
		l.bounds[f.Zero-1] = math.Nextafter(-zeroBound, math.Inf(-1)) // -1e-35 is as missing as 1e-35
	}
	return l
}

// newSide makes the table of the bounds [from, to), which are of one sign.
func newSide(bounds []float64, from, to int, low uint8) side {
	s := side{first: math.MaxUint64, low: low}
	if from == to {
		return s
	}
	s.first, s.high = orderedKey(bounds[from]), uint8(to)
	span := orderedKey(bounds[to-1]) - s.first
	for span>>s.shift >= sideSteps {
		s.shift++
	}
	bin := from
	for step := range s.steps {
		for bin < to && (orderedKey(bounds[bin])-s.first)>>s.shift < uint64(step) {
			bin++
		}
		s.steps[step] = uint8(bin)
	}
	return s
}

// orderedKey maps float64s other than NaN to integers in the same order.
func orderedKey(v float64) uint64 {
	b := math.Float64bits(v)
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

// bin returns the bin of v, which is not NaN. The first step of the walk is the one
// that is taken or not about as often, so it is no branch.
func (l *lookup) bin(v float64) uint8 {
	s, key := &l.sides[math.Float64bits(v)>>63], orderedKey(v)
	b := s.low
	if key > s.first {
		b = s.high
		if step := (key - s.first) >> (s.shift & 63); step < sideSteps {
			b = s.steps[step]
		}
	}
	b += above(v, l.bounds[b])
	for v > l.bounds[b] {
		b++
	}
	return b
}

// Bin returns the bin of v, a number below NumBins: see package histogram.
func (f *FeatureBins) Bin(v float64) uint8 {
	if v != v {
		return f.lookup.nan
	}
	return f.lookup.bin(v)
}

// above returns 1 if v is above bound, else 0, without a branch.
func above(v, bound float64) (one uint8) {
	if v > bound {
		one = 1
	}
	return one
}
