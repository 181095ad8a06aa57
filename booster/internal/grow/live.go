package grow

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// liveliness finds the columns that leaves may be split on ([binsum.Live]): with many sparse columns, most
// have fewer than min_data_in_leaf rows of a leaf in other bins than that of 0. The tree is the same without
// it, since the cuts of other columns are not allowed (count.go).
type liveliness struct {
	pool    *par.Pool
	columns int          // of the data
	bins    *binsum.Rows // of the active rows
	least   uint32       // rows; 0: all columns of the tree are live
	weights []uint32
	counts  [][]uint32     // of rows, by worker and column; memory
	idle    []uint32       // of the idle rows of the root, by column; nil if there are none
	lives   []*binsum.Live // memory, of which the growing tree uses the first
	used    int
}

// noColumns are the live columns of a leaf that is not split.
var noColumns = new(binsum.Live)

// begin begins a tree on active rows, which have the given bins. least is the smallest number of rows of a
// side; 0: all columns are live.
func (l *liveliness) begin(a *Active, bins *binsum.Rows, least int) {
	rows := len(a.Packed)
	l.bins, l.least, l.used, l.weights = bins, 0, 0, nil
	if !bins.HasSparse() || uint64(least) > math.MaxUint32/uint64(max(1, rows)) {
		return
	}
	if l.least = uint32(least); least == 0 || !a.Sparse {
		return
	}
	l.weights = reuse.Slice(l.weights, rows)
	for i, n := range a.RowsFor {
		l.weights[i] = mostRows(n, l.least)
	}
}

// mostRows returns at least as many rows as an active row can count for, unless that is more than most. It
// counts for n rows, but counts are rounded for each bin, which makes at most 2 rows of 1.5.
func mostRows(n float32, most uint32) uint32 {
	return uint32(min(math.Ceil(float64(float64(n)*4)/3), float64(most)))
}

// find finds the live columns of two new leaves, or of the root.
func (l *liveliness) find(f family) {
	switch {
	case l.least == 0:
	case f.parent == nil:
		l.findRoot(f.left)
	default:
		l.divide(f)
	}
}

// findRoot finds the live columns of the root.
func (l *liveliness) findRoot(root *leaf) {
	l.idle = nil
	if root.idle != nil {
		l.idle = l.bins.CountSparse(l.idle, root.idle.rows, nil)
	}
	counts := l.count(root.rows)
	for c, n := range l.idle {
		counts[c] += n
	}
	root.live = l.next()
	root.live.SetAll(l.bins, counts, l.least)
}

// divide finds the live columns of the children of a leaf. If it would take longer than to have those of the
// parent searched, they are these.
func (l *liveliness) divide(f family) {
	small, large := bySize(f)
	small.live, large.live = f.parent.live, f.parent.live
	if !f.parent.live.Exceeds(l.bins, len(small.rows), 1) {
		return
	}
	counts := l.count(small.rows)
	small.live, large.live = l.next(), l.next()
	f.parent.live.Divide(l.bins, small.live, large.live, counts, l.idle, l.least)
}

// count returns the weights of rows by column. Workers share them if they have more values than the counts of
// all workers take time to be added up.
func (l *liveliness) count(rows []int32) []uint32 {
	const valuesOfRow = 16
	workers := l.pool.Workers()
	if columns := l.columns; len(rows) < columns/valuesOfRow || len(rows) == l.bins.NumRows() {
		workers = 1
	}
	for len(l.counts) < workers {
		l.counts = append(l.counts, nil)
	}
	l.pool.Each(workers, func(place int) {
		part := rows[place*len(rows)/workers : (place+1)*len(rows)/workers]
		l.counts[place] = l.bins.CountSparse(l.counts[place], part, l.weights)
	})
	for _, counts := range l.counts[1:workers] {
		for c, n := range counts {
			l.counts[0][c] += n
		}
	}
	return l.counts[0]
}

// next returns memory for the columns of a leaf.
func (l *liveliness) next() *binsum.Live {
	if l.used == len(l.lives) {
		l.lives = append(l.lives, new(binsum.Live))
	}
	l.used++
	return l.lives[l.used-1]
}
