package histogram

import "math"

// wideLookup finds the bins of a feature with too many bounds for a [lookup]. As in a lookup, negative and
// positive values have a table each, which divides the range of their bounds, as order-preserving integers,
// into equal steps, and stores the first bin of each step. There are about twice as many steps as bounds, so
// few bounds lie in the step of a value, and a binary search among them finds its bin. Most searches read one
// entry of a table and one bound, which matters because the tables of all features do not fit a cache.
type wideLookup struct {
	bounds []float64   // upper bounds
	sides  [2]wideSide // by sign bit
	nan    uint16      // bin of NaN
}

// wideSide is the table of one sign.
type wideSide struct {
	first       uint64   // key of the first bound, where the first step begins
	shift       uint8    // bits of a key below a step
	low, lowEnd uint16   // first and last bin of values up to the first bound
	high        uint16   // first bin of values beyond the last step
	steps       []uint16 // first bin of each step, and of the one after the last
}

func newWideLookup(f *FeatureBins) *wideLookup {
	w := &wideLookup{bounds: f.comparedBounds(), nan: f.nanBin()}
	finite := f.UpperBounds[:len(f.UpperBounds)-1]
	negative, positive := besideZero(finite)
	w.sides[1] = newWideSide(finite, 0, negative, 0)
	w.sides[0] = newWideSide(finite, positive, len(finite), f.Zero)
	return w
}

// newWideSide makes the table of bounds[from:to], which have the same sign. bounds are all upper bounds
// except the last one, +Inf. low is the first bin of values up to the first of them.
func newWideSide(bounds []float64, from, to int, low uint16) wideSide {
	s := wideSide{first: math.MaxUint64, low: low, lowEnd: uint16(from), high: uint16(to)}
	last := uint16(len(bounds))
	if from == to {
		s.lowEnd = last
		return s
	}
	s.first = orderedKey(bounds[from])
	span := orderedKey(bounds[to-1]) - s.first
	for span>>s.shift >= uint64(2*(to-from)) {
		s.shift++
	}
	bin := from
	for step := range span>>s.shift + 2 {
		for bin < to && (orderedKey(bounds[bin])-s.first)>>s.shift < step {
			bin++
		}
		s.steps = append(s.steps, uint16(bin))
	}
	s.steps[len(s.steps)-1] = last // the last step may reach beyond the bounds next to zero
	return s
}

// around returns the first and the last bin that a value with this key can have. last is
// the last bin of the feature.
func (s *wideSide) around(key uint64, last int) (from, to int) {
	if key <= s.first {
		return int(s.low), int(s.lowEnd)
	}
	if step := (key - s.first) >> (s.shift & 63); step < uint64(len(s.steps)-1) {
		return int(s.steps[step]), int(s.steps[step+1])
	}
	return int(s.high), last
}

// bin returns the bin of v.
func (w *wideLookup) bin(v float64) uint16 {
	if v != v {
		return w.nan
	}
	from, to := w.sides[math.Float64bits(v)>>63].around(orderedKey(v), len(w.bounds)-1)
	for from < to {
		if middle := (from + to) / 2; v <= w.bounds[middle] {
			to = middle
		} else {
			from = middle + 1
		}
	}
	return uint16(from)
}
