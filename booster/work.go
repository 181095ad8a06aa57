package booster

import (
	"math"

	"github.com/lambdamart/lambdamart/booster/internal/grow"
)

// A sample saves time only where sums of rows take most of it. The rows of a finished tree tell how much work
// the sums were, or would be, in about the time that one value takes to be summed. A sample of the share f
// does f of the work on rows, copies the bins of its rows together, and must find the leaf of every row from
// the root, which every row knows from the growth of its tree:
//
//	every row    a·sums + partition + search
//	a sample     f·(sums + partition + copy) + descent + search
//
// and both the gradients of all rows, and the new scores. a is the share of rows with a gradient, as the sums
// of every row leave the others out: where clicks are rare, most queries have none.
//
// These are counts and not times, so that the same data gives the same model.
type work struct {
	sums, partition, copying, descent, search float64
	others                                    float64 // of any iteration: gradients and scores
	nonzero                                   float64 // share of rows with a gradient
}

// load is the work of an iteration by the share of rows that its tree grows on.
type load struct {
	share float64 // times the share, of a sample
	fixed float64 // of any sample
	every float64 // of every row
}

func (w *work) load() load {
	return load{w.sums + w.partition + w.copying, w.descent + w.search + w.others, w.every() + w.others}
}

// at returns the work of an iteration at a level.
func (l load) at(level float64) float64 {
	if level == 0 {
		return l.every
	}
	return min(l.every, float64(l.share*shareOf(level))+l.fixed)
}

// growth returns what each level adds to the work of an iteration between two levels, as a part of it.
func (l load) growth(low, high float64) float64 {
	least, most := l.at(low), l.at(high)
	return (most - least) / ((most + least) / 2) / (high - low)
}

// Times of operations, relative to that of summing a value.
const (
	ofSparseValue   = 3   // summing a value of a sparse column
	ofCopy          = 2.5 // copying a value together
	ofPartition     = 4   // sending a row to a side
	ofDescent       = 4   // sending a row down one node by its bins
	ofSetDescent    = 6   // the same for a set of categories
	ofSparseDescent = 24  // the same for a sparse column
	ofRow           = 200 // gradients and scores of a row
	ofBin           = 3   // searching a bin for the best split of a leaf
	ofCategory      = 12  // the same, for a category

	worthSaving = 0.15 // part of the work of growth that the smallest sample must save
	densityRows = 256  // from which shares of zeros are estimated
)

// every returns the work of growing a tree on every row.
func (w *work) every() float64 { return float64(w.nonzero*w.sums) + w.partition + w.search }

// highest returns the level from which on every row is as fast as a sample; the lowest one if no sample is
// worth its while.
func (w *work) highest(lowest float64) float64 {
	byShare := w.sums + w.partition + w.copying
	saved := float64(w.nonzero*w.sums) + w.partition - w.descent
	if saved-float64(shareOf(lowest)*byShare) < worthSaving*w.every() {
		return lowest
	}
	return levelOf(saved / byShare)
}

// workOf returns the work of a tree with these sums, whose numbers of rows are those of all peers.
func (l *lambdas) workOf(totals *grow.Totals) (w work) {
	g := l.grower
	values, isSparse := density(l.train)
	_, rows := g.NodeTotals(totals)
	of := func(child int32) float64 {
		if child < 0 {
			return float64(totals.Rows[^child])
		}
		return float64(rows[child])
	}
	summed := float64(rows[0])
	for i, n := range g.Nodes {
		step := float64(ofDescent)
		switch {
		case g.IsCategorical(n.Column):
			step = ofSetDescent
		case isSparse[n.Column]:
			step = ofSparseDescent
		}
		summed += math.Min(of(n.Left), of(n.Right))
		w.partition += float64(ofPartition * float64(rows[i]))
		w.descent += float64(step * float64(rows[i]))
	}
	w.others = float64(ofRow * float64(rows[0]))
	w.nonzero = float64(l.train.Meta.Part.Group().SumOf(l.rows.nonzero(l.gradients))) / float64(max(1, rows[0]))
	w.sums, w.copying = float64(summed*values), float64(ofCopy*float64(rows[0]))*values
	for c := range l.train.Values.Columns {
		bin := ofBin
		if g.IsCategorical(int32(c)) {
			bin = ofCategory
		}
		w.search += float64(2 * g.NumLeaves() * bin * l.train.Values.Bins(int32(c)).NumBins())
	}
	return w
}

// density returns the mean work of summing a row, and by column whether it counts as sparse. It does not
// depend on how columns are stored.
func density(train Data) (values float64, isSparse []bool) {
	shares := sharesOfNonzero(train)
	stride, isSparse := train.Values.Mapper.Compact(shares)
	for c, is := range isSparse {
		if is {
			values += float64(ofSparseValue * shares[c])
		}
	}
	return values + math.Min(float64(stride), float64(len(shares))), isSparse
}

// sharesOfNonzero returns an estimate of the share of rows whose value is not 0, by column.
func sharesOfNonzero(train Data) (shares []float64) {
	data, part := train.Values, train.Meta.Part
	first, _ := part.First()
	all := train.Meta.AllRows()
	set := make([]int64, len(data.Columns))
	for i := range densityRows {
		row := i*all/densityRows - first
		if row < 0 || row >= data.NumRows() {
			continue
		}
		for c := range set {
			if data.At(int32(row), int32(c)) != data.Bins(int32(c)).Zero {
				set[c]++
			}
		}
	}
	part.Group().Sum(set)
	for _, n := range set {
		shares = append(shares, float64(n)/densityRows)
	}
	return shares
}

// levelUnit is the distance of neighboring levels (control.go).
const levelUnit = 0.25

// shareOf returns the share of a level that is a multiple of levelUnit.
func shareOf(level float64) float64 {
	roots := [...]float64{1, 1.189207115002721, 1.4142135623730951, 1.681792830507429} // 2^(i/4)
	quarters := int(level / levelUnit)
	return math.Ldexp(roots[quarters&3], quarters>>2)
}

// levelOf returns the lowest level whose share is at least a share.
func levelOf(share float64) (level float64) {
	for shareOf(level-levelUnit) >= share {
		level -= levelUnit
	}
	return level
}
