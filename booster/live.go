package booster

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// liveliness finds the columns that leaves may be split on ([binsum.Live]): with many sparse columns, most have
// fewer than min_data_in_leaf rows of a leaf in other bins than that of 0. The tree is the same without it,
// since the cuts of other columns are not allowed (count.go).
type liveliness struct {
	least   uint32 // rows; 0: all columns of the tree are live
	weights []uint32
	counts  []uint32       // of rows, by column; memory
	idle    []uint32       // of the idle rows of the root, by column; nil if there are none
	lives   []*binsum.Live // memory, of which the growing tree uses the first
	used    int
}

// noColumns are the live columns of a leaf that is not split.
var noColumns = new(binsum.Live)

// begin begins a tree. Peers would have to agree, and symmetric trees add up the gains of several
// leaves: then all columns are live.
func (l *liveliness) begin(g *grower) {
	l.least, l.used = 0, 0
	least, rows := max(1, g.limits.MinData), len(g.active.rows)
	if _, bestFirst := g.order.(*bestFirst); !bestFirst || !g.bins.HasSparse() || g.part.Group().Size() > 1 ||
		uint64(least) > math.MaxUint32/uint64(max(1, rows)) {
		return
	}
	l.least, l.weights = uint32(least), nil
	if !g.active.sparse {
		return
	}
	l.weights = reuse.Slice(l.weights, rows)
	for i, n := range g.active.rowsFor {
		l.weights[i] = mostRows(n, l.least)
	}
}

// mostRows returns at least as many rows as an active row can count for, unless that is more than most. It
// counts for n rows, but counts are rounded for each bin, which makes at most 2 rows of 1.5.
func mostRows(n float32, most uint32) uint32 {
	return uint32(min(math.Ceil(float64(float64(n)*4)/3), float64(most)))
}

// find finds the live columns of two new leaves, or of the root.
func (l *liveliness) find(g *grower, f family) {
	switch {
	case l.least == 0:
	case f.parent == nil:
		l.findRoot(g, f.left)
	default:
		l.divide(g, f)
	}
}

// findRoot finds the live columns of the root.
func (l *liveliness) findRoot(g *grower, root *leaf) {
	l.idle = nil
	if root.idle != nil {
		l.idle = g.bins.CountSparse(l.idle, g.known(root.idle), nil)
	}
	l.counts = g.bins.CountSparse(l.counts, root.rows, l.weights)
	for c, n := range l.idle {
		l.counts[c] += n
	}
	root.live = l.next()
	root.live.SetAll(g.bins, l.counts, l.least)
}

// divide finds the live columns of the children of a leaf. If it would take longer than to have those of the
// parent searched, they are these.
func (l *liveliness) divide(g *grower, f family) {
	small, large := bySize(f)
	small.live, large.live = f.parent.live, f.parent.live
	if !f.parent.live.Exceeds(g.bins, len(small.rows), 1) {
		return
	}
	l.counts = g.bins.CountSparse(l.counts, small.rows, l.weights)
	small.live, large.live = l.next(), l.next()
	f.parent.live.Divide(g.bins, small.live, large.live, l.counts, l.idle, l.least)
}

// next returns memory for the columns of a leaf.
func (l *liveliness) next() *binsum.Live {
	if l.used == len(l.lives) {
		l.lives = append(l.lives, new(binsum.Live))
	}
	l.used++
	return l.lives[l.used-1]
}

// livePlaces writes to dst the places of the tree's columns that are live in a leaf: those of columns that
// are not sparse, and then those of sparse columns, by column.
func (g *grower) livePlaces(dst []int32, live *binsum.Live) []int32 {
	dst = append(dst[:0], g.places[:g.dense]...)
	for _, c := range live.Columns {
		if place := g.parts.placeOf[c]; place >= 0 {
			dst = append(dst, place)
		}
	}
	return dst
}
