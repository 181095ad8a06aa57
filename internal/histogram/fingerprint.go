package histogram

import (
	"github.com/lambdamart/lambdamart/internal/fingerprint"
	"github.com/lambdamart/lambdamart/internal/par"
)

// fingerprintBlock is the number of rows of a part of a fingerprint.
const fingerprintBlock = 1 << 14

// longRow is the number of bytes from which on a row without sparse columns counts as long.
const longRow = 1 << 10

// Fingerprint returns texts that identify the numbers of the features that vary and the bounds of their bins,
// and sums that identify the bins of all rows. Peers that share the rows add up their sums. All are the same
// on all machines, and do not depend on which columns are sparse. The bounds and sums do not depend on other
// features either, nor on the numbers: files of different forms have other columns that do not vary, such as
// the query ids of a table. first is the number of row 0 in the matrix of all peers. workers is the number of
// goroutines (one for each processor if below 1).
func (x *Matrix) Fingerprint(first, workers int) (numbers, bounds string, sums [2]uint64) {
	numbers = fingerprint.Of(1, 1, func(h *fingerprint.Hash, _ int) { x.Mapper.addNumbers(h) })
	bounds = fingerprint.Of(1, 1, func(h *fingerprint.Hash, _ int) { x.Mapper.addBounds(h) })
	pool := par.New(workers)
	defer pool.Close()
	add := x.addBytes
	if x.Mapper.hasLongRows() {
		add = x.placesAdder()
	}
	return numbers, bounds, fingerprint.SumOf(pool, x.rows, fingerprintBlock,
		func(s *fingerprint.Sum, from, to int) {
			add(s, from, to, first)
		})
}

// hasLongRows reports whether rows without sparse columns are long.
func (m *Mapper) hasLongRows() bool {
	_, stride := layout(m.binCounts(), nil)
	return stride >= longRow
}

// addBytes adds the bytes that the rows in [from, to) have without sparse columns.
// first is the number of row 0.
func (x *Matrix) addBytes(s *fingerprint.Sum, from, to, first int) {
	appendRow := x.RowBytes()
	var bytes []byte
	for row := from; row < to; row++ {
		bytes = appendRow(bytes[:0], row)
		s.Bytes(first+row, bytes)
	}
}

// placesAdder returns a function that adds long rows, most of whose bins are usually those of 0: of each row
// the sum of the hashes of the places of its other bins, for which sparse columns need no bytes.
func (x *Matrix) placesAdder() func(s *fingerprint.Sum, from, to, first int) {
	places, dense := x.Mapper.firstPlaces(), x.dense()
	return func(s *fingerprint.Sum, from, to, first int) {
		for row := from; row < to; row++ {
			sum := uint64(0)
			for _, c := range dense {
				if bin := x.Fields[c].Of(x.Row(row)); bin != x.Bins(c).Zero {
					sum += fingerprint.Number(uint64(places[c]) + uint64(bin))
				}
			}
			if x.hasSparse() {
				for _, place := range x.sparse.Of(row) {
					sum += fingerprint.Number(uint64(place))
				}
			}
			s.Int(first+row, int(sum))
		}
	}
}

// addNumbers adds the number of features, and the numbers of those that vary.
func (m *Mapper) addNumbers(h *fingerprint.Hash) {
	h.Int(len(m.Features))
	for _, c := range m.columns() {
		h.Int(int(c))
	}
}

// addBounds adds the bins of the features that vary.
func (m *Mapper) addBounds(h *fingerprint.Hash) {
	columns := m.columns()
	h.Int(len(columns))
	for _, c := range columns {
		f := &m.Features[c]
		h.Int(len(f.UpperBounds))
		h.Float64s(f.UpperBounds)
		h.Int(int(f.Missing))
		h.Float64s([]float64{f.Min, f.Max})
		if f.IsCategorical() {
			h.Int(len(f.Categories))
			for _, c := range f.Categories {
				h.Int(int(c))
			}
		}
	}
}
