package booster

import "github.com/lambdamart/lambdamart/histogram"

// Shape has the sizes of training data that memory depends on.
type Shape struct {
	Rows      int
	ValidRows int // rows of all validation sets
	Bins      int // of all columns
	RowBytes  int // bytes of a binned row
}

// ShapeOf returns the shape of this many rows with the bins of m.
func ShapeOf(m *histogram.Mapper, rows int) Shape {
	_, bins := m.Size()
	return Shape{Rows: rows, Bins: bins, RowBytes: m.Bytes(1)}
}

// Footprint is an estimate of the memory of a training run in one process.
type Footprint struct {
	Memory int // bytes of memory, the bins of all data included
	// bytes of memory less if the rows are on disk ([histogram.Matrix.IsOnDisk]): bins and labels stay in
	// their file, and active rows are copied once
	OnDisk int
}

// Footprint returns the estimate for a training run on data of this shape.
func (s Shape) Footprint(p *Params) Footprint {
	active := int(p.mostCopied(s.Rows) * float64(s.Rows))
	return Footprint{
		Memory: s.memoryOfRows(p) + s.ValidRows*(s.RowBytes+perValidRow) + p.mostOpen()*s.Bins*bytesOfSum,
		OnDisk: s.Rows*(s.RowBytes+ofLabel) + active*s.RowBytes,
	}
}

const (
	bytesOfSum  = 8         // of the sum of a bin
	ofLabel     = 8         // bytes of a label
	perValidRow = 8 + 8 + 4 // bytes of the label, score and leaf of a row of a validation set
)

// memoryOfRows returns about how many bytes of memory a training run uses for its rows.
func (s Shape) memoryOfRows(p *Params) int {
	// label, score, gradients, place in the ranking or number in the bag, leaf
	const perRow = ofLabel + 8 + 16 + 4 + 4
	share := p.mostCopied(s.Rows)
	active := int(share * float64(s.Rows))
	bytes := s.Rows*(s.RowBytes+perRow) + active*(8+16)
	bytes += active * s.RowBytes // planes
	if share < 1 {
		bytes += active * s.RowBytes // gathered
	}
	if p.ActiveFraction == AutoActive && share < 1 { // planes and integers of trees of every row
		bytes += s.Rows*s.RowBytes + (s.Rows-active)*(8+16)
	}
	return bytes
}
