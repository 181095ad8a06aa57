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
	mostFor int    // rows of a leaf for which columns are counted; other leaves have the columns of their parent
	weights []uint32
	lives   []*binsum.Live // memory, of which the growing tree uses the first
	used    int
}

// begin begins a tree. Peers would have to agree, and symmetric trees add up the gains of several
// leaves: then all columns are live.
func (l *liveliness) begin(g *grower) {
	l.least, l.used = 0, 0
	least, rows := max(1, g.limits.MinData), len(g.active.rows)
	if _, bestFirst := g.order.(*bestFirst); !bestFirst || !g.bins.HasSparse() || g.part.Group().Size() > 1 ||
		uint64(least) > math.MaxUint32/uint64(max(1, rows)) {
		return
	}
	l.least, l.mostFor = uint32(least), g.bins.NumBins()/(2*g.bins.SumsOfRow())
	l.weights = l.weights[:0]
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
		f.left.live = l.of(g, f.left)
	default:
		for _, lf := range []*leaf{f.left, f.right} {
			if lf.live = f.parent.live; len(lf.rows) <= l.mostFor && g.splittable(lf) {
				lf.live = l.of(g, lf)
			}
		}
	}
}

// of returns the live columns of a leaf.
func (l *liveliness) of(g *grower, lf *leaf) *binsum.Live {
	if l.used == len(l.lives) {
		l.lives = append(l.lives, new(binsum.Live))
	}
	live := l.lives[l.used]
	l.used++
	weights := l.weights
	if !g.active.sparse {
		weights = nil
	}
	live.Rows, live.Least = g.bins.AddLive(live.Rows, lf.rows, weights), l.least
	return live
}

// eachLive calls live for each range of live columns that lie side by side in a group, and other for each
// other column. It leaves out columns with missing values, and categories.
func eachLive(cg *columnGroup, l *binsum.Live, live func(from, to int), other func(i int)) {
	from := 0
	for i, c := range cg.columns[:len(cg.plain)] {
		if l.Has(c) {
			continue
		}
		if other(i); from < i {
			live(from, i)
		}
		from = i + 1
	}
	if from < len(cg.plain) {
		live(from, len(cg.plain))
	}
}
