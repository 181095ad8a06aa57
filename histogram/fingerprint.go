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
	return text, fingerprint.SumOf(pool, x.rows, fingerprintBlock, func(s *fingerprint.Sum, from, to int) {
		var bytes []byte
		x.Each(from, to, func(begin int, window *Matrix) {
			appendRow := window.RowBytes()
			for row := range window.rows {
				bytes = appendRow(bytes[:0], row)
				s.Bytes(first+begin+row, bytes)
			}
		})
	})
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
