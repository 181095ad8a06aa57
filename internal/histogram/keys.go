package histogram

import "math"

// keyTable is the bounds of a column as keys of 16 bits, among which the assembly searches for the bins of
// 32 values at a time. The greater of two values never has the smaller key. So a value whose key is not the
// key of a bound has as many bounds below it as there are smaller keys of bounds. The bins of the other
// values, which are rare, are left to [FeatureBins.Bin].
//
// A key is the number of a cell. On each side of zero, cells are equal steps of a float64's bits, as the
// steps of a [lookup] are. Zero, and all values up to 1e-35 on both sides, have a key that no bound has.
type keyTable struct {
	low    [2]uint64  // by sign: bits of the magnitude at which the cells begin
	shift  [2]uint64  // by sign: bits of a magnitude below a cell
	most   [2]uint64  // by sign: number of the last cell
	center uint64     // number of negative cells
	zero   [2]float64 // bounds beside zero: the keys of the values above each are larger by betweenKeys

	keys [4][64]uint16 // of the bounds with the numbers 4p+i, and beyond them the largest number
}

const (
	mostCells   = 1<<16 - 8 // on both sides
	betweenKeys = 2
)

// newKeyTable returns the table of a feature, or nil if it has none.
func newKeyTable(f *FeatureBins) *keyTable {
	if f.IsCategorical() || f.NumBins() > mostInByte {
		return nil
	}
	t := &keyTable{zero: [2]float64{-zeroBound, zeroBound}}
	if f.Missing == MissingZero { // -1e-35 is missing too
		t.zero[0] = math.Nextafter(-zeroBound, math.Inf(-1))
	}
	finite := f.UpperBounds[:len(f.UpperBounds)-1]
	t.setSides(finite)
	for i := range t.keys {
		for p := range t.keys[i] {
			t.keys[i][p] = math.MaxUint16
		}
	}
	for b, bound := range finite {
		if f.isMissing(bound) && math.Abs(bound) < zeroBound {
			return nil // missing values are not compared with it
		}
		t.keys[b%4][b/4] = t.keyOfBound(bound)
	}
	return t
}

// setSides divides the magnitudes of negative and of positive bounds into cells.
func (t *keyTable) setSides(bounds []float64) {
	negative, positive := besideZero(bounds)
	most := mostCells
	if negative > 0 && positive < len(bounds) {
		most /= 2
	}
	if positive < len(bounds) {
		t.setSide(0, bounds[positive], bounds[len(bounds)-1], uint64(most))
	}
	if negative > 0 {
		t.setSide(1, bounds[negative-1], bounds[0], uint64(most))
	}
	t.center = t.most[1]
}

// setSide divides the magnitudes from first to last into cells. The first of them is below first, and the
// last beyond last.
func (t *keyTable) setSide(sign int, first, last float64, most uint64) {
	from, to := math.Float64bits(math.Abs(first)), math.Float64bits(math.Abs(last))
	for (to-from)>>t.shift[sign] > most-3 {
		t.shift[sign]++
	}
	t.low[sign] = from - min(from, 1<<t.shift[sign])
	t.most[sign] = most
}

// keyOfBound returns the key of a bound. Those of the bounds beside zero lie between the keys of the values
// on both sides of them.
func (t *keyTable) keyOfBound(bound float64) uint16 {
	switch bound {
	case -zeroBound:
		return t.key(t.zero[0]) + 1
	case zeroBound:
		return t.key(bound) + 1
	}
	return t.key(bound)
}

// key returns the key of v, which is not NaN.
func (t *keyTable) key(v float64) uint16 {
	bits := math.Float64bits(v)
	sign, magnitude := bits>>63, bits&^(1<<63)
	cell := min((max(magnitude, t.low[sign])-t.low[sign])>>t.shift[sign], t.most[sign])
	key := t.center + cell
	if sign == 1 {
		key = t.center - cell
	}
	for _, bound := range t.zero {
		if v > bound {
			key += betweenKeys
		}
	}
	return uint16(key)
}
