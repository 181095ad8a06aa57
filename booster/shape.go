package booster

import "github.com/lambdamart/lambdamart/histogram"

// Shape has the sizes of training data that memory and messages depend on.
type Shape struct {
	Rows      int
	ValidRows int // rows of all validation sets
	Columns   int // features that vary
	Bins      int // of all columns
	RowBytes  int // bytes of a binned row
}

// ShapeOf returns the shape of this many rows with the bins of m.
func ShapeOf(m *histogram.Mapper, rows int) Shape {
	columns, bins := m.Size()
	return Shape{Rows: rows, Columns: columns, Bins: bins, RowBytes: m.Bytes(1)}
}

// Footprint is an estimate of the memory and messages of a training run. Evaluation is not included: each
// evaluation of a validation set uses one collective per rank and one more.
type Footprint struct {
	Active int // rows that a tree grows on; with active_fraction=auto, the most that are copied for one
	Memory int // bytes of memory of a rank, the bins of all of its data included
	// bytes of memory less if the rows are on disk ([histogram.Matrix.IsOnDisk]): bins and labels stay in
	// their file, and active rows are copied once
	OnDisk int

	Searched    int // leaves of a tree that are searched for splits, including those searched in vain
	Collectives int // collectives for a tree
	Bytes       int // bytes of the messages that a rank contributes to them
	Sent        int // bytes that a rank sends for a tree, if each collective sends as little as possible
}

// Footprint returns the estimate for a training run on data of this shape, on one process or on several ranks
// that share the rows, with this many threads each.
func (s Shape) Footprint(p *Params, ranks, threads int) Footprint {
	f := Footprint{Memory: s.memoryOfRank(p, ranks, threads)}
	f.Active = int(p.mostCopied(s.Rows) * float64(s.Rows))
	f.OnDisk = s.Rows*(s.RowBytes+ofLabel) + f.Active*s.RowBytes
	s.addMessages(&f, p, ranks)
	return f
}

const (
	bytesOfSum  = 8         // of the sum of a bin
	ofLabel     = 8         // bytes of a label
	perValidRow = 8 + 8 + 4 // bytes of the label, score and leaf of a row of a validation set
)

// memoryOfRows returns about how many bytes of memory a training run uses for this many rows.
func (s Shape) memoryOfRows(p *Params, rows int) int {
	// label, score, gradients, place in the ranking or number in the bag, leaf
	const perRow = ofLabel + 8 + 16 + 4 + 4
	share := p.mostCopied(s.Rows)
	active := int(share * float64(rows))
	bytes := rows*(s.RowBytes+perRow) + active*(8+16)
	bytes += active * s.RowBytes // planes
	if share < 1 {
		bytes += active * s.RowBytes // gathered
	}
	if p.ActiveFraction == AutoActive && share < 1 { // planes and integers of trees of every row
		bytes += rows*s.RowBytes + (rows-active)*(8+16)
	}
	return bytes
}

// memoryOfRank returns about how many bytes of memory a rank uses: for its share of the rows, for the sums of
// its columns in all leaves and, if there are other ranks, for messages about all columns. With other ranks,
// the children of batches of leaves are also made in advance, and each thread builds sums of its own.
func (s Shape) memoryOfRank(p *Params, ranks, threads int) int {
	sums := s.Bins * bytesOfSum
	bytes := s.memoryOfRows(p, (s.Rows+ranks-1)/ranks) + (s.ValidRows+ranks-1)/ranks*(s.RowBytes+perValidRow)
	if ranks == 1 {
		return bytes + p.mostOpen()*sums
	}
	leaves := p.mostOpen() + 2*batchLeaves
	return bytes + leaves*sums/ranks + batchLeaves*(sums+sums/ranks) + sums + sums*threads
}
