package booster

import "github.com/lambdamart/lambdamart/internal/par"

// Shape is the sizes of training data that memory depends on.
type Shape struct {
	Rows      int
	ValidRows int // rows of all validation sets
	Bins      int // of all columns
	RowBytes  int // bytes of a binned row
}

// ShapeOf returns the shape of training data.
func ShapeOf(b *Bins) Shape {
	_, bins := b.Mapper.Size()
	return Shape{Rows: b.NumRows(), Bins: bins, RowBytes: b.Mapper.Bytes(1)}
}

// Memory returns an estimate of the memory, in bytes, that a training run in one process on data of this
// shape needs, with the bins of all data. Models of an ensemble that are trained at once share the data
// alone.
func (s Shape) Memory(p *Params) int {
	growth := p.growth()
	whole := s.memoryOfRows(p) + s.ValidRows*(s.RowBytes+perValidRow) + growth.MostOpen()*s.Bins*bytesOfSum
	data := (s.Rows + s.ValidRows) * (s.RowBytes + ofLabel)
	atOnce, _ := par.AtOnce(p.NumModels, s.Rows, p.NumThreads)
	return data + atOnce*(whole-data)
}

const (
	bytesOfSum  = 8         // of the sum of a bin
	ofLabel     = 8         // bytes of a label
	ofJudging   = 2         // of the rows that judge a tree, for each row
	ofDART      = 16        // of the scores that a round changes, for each row
	perValidRow = 8 + 8 + 4 // bytes of the label, score and leaf of a row of a validation set
)

// memoryOfRows returns about how many bytes of memory a training run uses for its rows.
func (s Shape) memoryOfRows(p *Params) int {
	// label, score, gradients, leaf, and what objectives keep of the labels and the order of documents
	const perRow = ofLabel + 8 + 16 + 4 + 12
	share := p.mostCopied(s.Rows)
	active := int(share * float64(s.Rows))
	const ofRun = 1 << 18 // whatever the number of rows
	bytes := ofRun + s.Rows*(s.RowBytes+perRow) + active*(8+16)
	bytes += active * s.RowBytes // planes
	if share < 1 {
		bytes += active * s.RowBytes // gathered
	}
	if p.ActiveFraction == AutoActive && share < 1 { // planes and integers of trees of every row
		bytes += s.Rows*s.RowBytes + (s.Rows-active)*(8+4)
		bytes += s.Rows * ofJudging
	}
	if p.Boosting == DART {
		bytes += s.Rows * ofDART
	}
	return bytes
}
