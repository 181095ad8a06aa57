package histogram

import (
	"github.com/lambdamart/lambdamart/internal/fingerprint"
	"github.com/lambdamart/lambdamart/internal/par"
)

// fingerprintBlock is the number of rows of a part of a fingerprint.
const fingerprintBlock = 1 << 14

// Fingerprint returns a text that identifies the bins of all rows and the bounds of the bins. It is the same
// on all machines, and does not depend on which columns are sparse. workers is the number of goroutines (one
// for each processor if below 1).
func (x *Matrix) Fingerprint(workers int) string {
	text, sums := x.FingerprintPart(0, workers)
	return text + fingerprint.Sum(sums).String()
}

// FingerprintPart returns the two parts of the fingerprint of a matrix whose rows are divided among peers: a
// text that identifies the bounds, and sums over this peer's rows, which are added to the sums of the others.
// first is the number of row 0 in the matrix of all peers.
func (x *Matrix) FingerprintPart(first, workers int) (text string, sums [2]uint64) {
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
