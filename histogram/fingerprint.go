package histogram

import (
	"github.com/lambdamart/lambdamart/internal/fingerprint"
	"github.com/lambdamart/lambdamart/internal/par"
)

// fingerprintBlock is the number of rows of a part of a fingerprint.
const fingerprintBlock = 1 << 14

// Fingerprint returns a text that identifies the bounds of the bins, and sums that identify the bins of all
// rows. Peers that share the rows add up their sums. Both are the same on all machines, and do not depend on
// which columns are sparse. first is the number of row 0 in the matrix of all peers. workers is the number of
// goroutines (one for each processor if below 1).
func (x *Matrix) Fingerprint(first, workers int) (text string, sums [2]uint64) {
	text = fingerprint.Of(1, 1, func(h *fingerprint.Hash, _ int) { x.Mapper.addTo(h) })
	pool := par.New(workers)
	defer pool.Close()
	add := x.addBytes
	if x.Mapper.hasLongRows() {
		add = x.placesAdder()
	}
	return text, fingerprint.SumOf(pool, x.rows, fingerprintBlock, func(s *fingerprint.Sum, from, to int) {
		add(s, from, to, first)
	})
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
	places := x.Mapper.firstPlaces()
	var dense []int32
	for c, f := range x.Fields {
		if !f.Sparse {
			dense = append(dense, int32(c))
		}
	}
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

// addTo adds the bins of all features.
func (m *Mapper) addTo(h *fingerprint.Hash) {
	h.Int(len(m.Features))
	for i := range m.Features {
		f := &m.Features[i]
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
