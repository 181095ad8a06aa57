package booster

import "github.com/lambdamart/lambdamart/histogram"

// Shape is the size of training data, as far as memory and messages depend on it.
type Shape struct {
	Rows     int
	Columns  int // features that vary
	Bins     int // of all columns
	RowBytes int // of a row, binned
}

// ShapeOf returns the shape of this many rows with the bins of m.
func ShapeOf(m *histogram.Mapper, rows int) Shape {
	return Shape{Rows: rows, Columns: len(m.Features) - m.NumConstant(), Bins: m.NumBins(), RowBytes: m.Bytes(1)}
}

// Active returns about how many rows a tree grows on.
func (s Shape) Active(p *Params) int { return int(p.ActiveFraction.of(s.Rows) * float64(s.Rows)) }

const (
	bytesOfSum = 8 // of the sum of a bin
	ofLabel    = 8 // bytes of a label
)

// memoryOfRows returns about how many bytes a training run takes for so many of the rows.
func (s Shape) memoryOfRows(p *Params, rows int) int {
	// label, score, gradients, place in the ranking or number in the bag, leaf
	const perRow = ofLabel + 8 + 16 + 4 + 4
	share := p.ActiveFraction.of(s.Rows)
	active := int(share * float64(rows))
	bytes := rows*(s.RowBytes+perRow) + active*(8+16)
	bytes += active * s.RowBytes // planes
	if share < 1 {
		bytes += active * s.RowBytes // gathered
	}
	return bytes
}

// OnDisk returns how many bytes less a training run takes where memory does not hold the rows
// ([histogram.Matrix.IsOnDisk]): bins and labels stay in their file, and active rows are copied once.
func (s Shape) OnDisk(p *Params) int {
	return s.Rows*(s.RowBytes+ofLabel) + s.Active(p)*s.RowBytes
}

// RankMemory returns about how many bytes one of several ranks takes: for its share of the rows, the sums of
// its columns in all leaves, and messages about all columns. Batches of leaves have children in advance, and
// each thread builds sums of its own.
func (s Shape) RankMemory(p *Params, ranks, threads int) int {
	leaves := p.mostOpen() + 2*batchLeaves
	sums := s.Bins * bytesOfSum
	return s.memoryOfRows(p, (s.Rows+ranks-1)/ranks) + leaves*sums/ranks + batchLeaves*(sums+sums/ranks) + sums +
		sums*threads
}
