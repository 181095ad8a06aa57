package histogram

import (
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
)

// lookup finds the bin of a value from the leading bits of the float64. Negative and positive values have a
// table each. It divides the range of their bounds, as order-preserving integers ([orderedKey]), into equal
// steps, and holds for each step the bin of its smallest value or a bin below. A short walk up the bounds
// from there finds the value's bin:
//
//	step    0       1       2       3       4       5
//	        ├-------┼-------┼-------┼-------┼-------┼-------┼--▶ keys
//	bounds  u0        u1 u2              u3           u4
//	bin     0       1       3       3       4       4           from which to walk
//
// If many bounds lie in one step, walks are longer, but the result is the same.
//
// The bounds on both sides of zero, -1e-35 and 1e-35, are in neither table: they are so far from the next
// bounds that all other bounds would share a few steps.
type lookup struct {
	sides  [2]side      // by sign bit
	nan    uint8        // bin of NaN
	bounds [256]float64 // upper bounds, and +Inf beyond them

	category []uint16    // of a categorical feature: bin of each category up to the largest that has one
	wide     *wideLookup // for a feature with more bounds than the tables have room for; replaces them
}

// side is the table of one sign.
type side struct {
	first uint64 // key of the first bound, where the first step begins
	shift uint8  // bits of a key below a step
	low   uint8  // bin from which to walk for values up to the first bound
	high  uint8  // bin from which to walk for values beyond the last step
	steps [sideSteps]uint8
}

// sideSteps is the number of steps of a table. The tables and bounds of 136 features fit a
// second-level cache.
const sideSteps = 512

// oneBin is the lookup of all features that have one bin. They share it, because data with a high feature
// number may have millions of them.
var oneBin = makeLookup(&FeatureBins{UpperBounds: []float64{math.Inf(1)}})

// fewBins is the largest number of bins for which bounds are compared one after the other. If data has many
// sparse features, each has few bins, and tables would take most of the memory.
const fewBins = 8

// noTables is the lookup of all features with few bins.
var noTables = &lookup{wide: &wideLookup{}}

// newLookup returns the tables of a feature's bounds.
func newLookup(f *FeatureBins) *lookup {
	switch n := f.NumBins(); {
	case n == 1:
		return oneBin
	case n <= fewBins:
		return noTables
	}
	return makeLookup(f)
}

func makeLookup(f *FeatureBins) *lookup {
	if f.NumBins() > mostInByte {
		return &lookup{wide: newWideLookup(f)}
	}
	l := &lookup{nan: uint8(f.nanBin())}
	for b := range l.bounds {
		l.bounds[b] = math.Inf(1)
	}
	copy(l.bounds[:], f.comparedBounds())
	finite := f.UpperBounds[:len(f.UpperBounds)-1]
	negative, positive := besideZero(finite)
	l.sides[1] = newSide(finite, 0, negative, 0)
	l.sides[0] = newSide(finite, positive, len(finite), uint8(f.Zero))
	return l
}

// besideZero returns the places of the first bound that is not negative, and of the first that is positive.
func besideZero(bounds []float64) (negative, positive int) {
	for negative < len(bounds) && bounds[negative] < -zeroBound {
		negative++
	}
	for positive = negative; positive < len(bounds) && bounds[positive] <= zeroBound; {
		positive++
	}
	return negative, positive
}

// comparedBounds returns the upper bounds by which values are compared: -1e-35 is as missing as 1e-35.
func (f *FeatureBins) comparedBounds() []float64 {
	if !f.isMissing(-zeroBound) || f.Zero == 0 || f.UpperBounds[f.Zero-1] < -zeroBound {
		return f.UpperBounds
	}
	bounds := slices.Clone(f.UpperBounds)
	bounds[f.Zero-1] = math.Nextafter(-zeroBound, math.Inf(-1))
	return bounds
}

// newSide makes the table of the bounds [from, to), which have one sign. low is the bin from which to
// walk for values up to the first of them.
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

// orderedKey maps float64s other than NaN to integers that have the same order.
func orderedKey(v float64) uint64 {
	b := math.Float64bits(v)
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

// bin returns the bin of v, which is not NaN. The first step of the walk is made without a branch, because
// the processor could not predict it.
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

// binAll writes the bin of value i of each row to bins, where a row takes stride bytes, and returns how many
// of these values are NaN.
func (l *lookup) binAll(rows []dataset.Row, i int, bins []uint8, stride int) (nans int64) {
	for k := range rows {
		v, at := rows[k].Value[i], rows[k].Number*stride
		if v != v {
			bins[at] = l.nan
			nans++
			continue
		}
		bins[at] = l.bin(v)
	}
	return nans
}

// above returns 1 if v is above bound, and 0 otherwise, without a branch.
func above(v, bound float64) (one uint8) {
	if v > bound {
		one = 1
	}
	return one
}
