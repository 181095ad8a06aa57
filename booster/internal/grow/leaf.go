package grow

import (
	"github.com/lambdamart/lambdamart/internal/bincut"
	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/random"
)

// leaf is a leaf of the growing tree.
type leaf struct {
	rows  []int32   // a part of Grower.rows; the parts of different leaves do not overlap
	count int       // number of rows of all peers, without idle ones that are set apart
	idle  *idleRows // nil if they are among rows
	about float64   // number of rows, an estimate if gradients are sparse; set only if Grower.needsRows
	sum   binsum.Sum
	depth int
	sums  binsum.Histogram // packed; nil if the leaf will not be split
	live  *binsum.Live     // columns that it may be split on; sums of others are unspecified
	best  split            // its gain is 0 if the leaf cannot be split
	node  int32            // parent, -1 for the root
	right bool             // it is the parent's right child

	// rows of all peers by bin, in the units of Active.units, of some columns and of all; nil if not counted
	counts    []columnCounts
	allCounts binsum.Histogram

	// rows of the data that are not active, once the tree is grown; set only if the active ones are spread
	others []int32

	children *[2]leaf // its children, if they are made before it is split (share.go)
	leafState
}

// columnCounts are the numbers of rows in the bins of a column.
type columnCounts struct {
	column int32
	rows   []int64
}

// leafState is what constraints need to know of a leaf of a growing tree.
type leafState struct {
	value float64    // of the leaf, in units
	place random.Key // of the path from the root to the leaf
	above *path      // nil at the root

	bounds   bincut.Bounds // of its children
	outdated bool          // the bounds have changed since its best split was found
}

// path is the last split on the way from the root to a leaf, linked to the splits before it.
type path struct {
	column int32
	up     *path
}

// columns returns the columns of the path, from the leaf up.
func (p *path) columns() (columns []int32) {
	for ; p != nil; p = p.up {
		columns = append(columns, p.column)
	}
	return columns
}

// idleRows are the idle rows of a leaf, or of a leaf that was split.
type idleRows struct {
	rows     []int32   // a part of Grower.rows; not known while parent is set
	parent   *idleRows // whose rows are not yet divided
	split    split     // that divides the rows; only if it has children
	children [2]*idleRows
}

// family is a leaf that was split, and its children. For the root, left is the root itself, and the others
// are nil.
type family struct{ parent, left, right *leaf }

// bySize returns two children, first the one with fewer rows.
func bySize(f family) (small, large *leaf) {
	if len(f.right.rows) < len(f.left.rows) {
		return f.right, f.left
	}
	return f.left, f.right
}

// memory keeps the memory of sums and of idle rows between leaves and trees.
type memory struct {
	bins int                // of all columns
	free []binsum.Histogram // not in use by a leaf
	idle []idleRows         // of the leaves of this tree
}

// acquire returns memory for the sums of a leaf. Its content is unspecified.
func (m *memory) acquire() binsum.Histogram {
	n := len(m.free)
	if n == 0 {
		return make(binsum.Histogram, m.bins)
	}
	sums := m.free[n-1]
	m.free = m.free[:n-1]
	return sums
}

// release frees the memory of a leaf's sums for other leaves.
func (m *memory) release(lf *leaf) {
	m.recycle(lf)
	if lf.children != nil {
		m.releaseChildren(lf)
	}
}

// releaseChildren frees the memory of children that were made in advance, but are not used.
func (m *memory) releaseChildren(lf *leaf) {
	m.release(&lf.children[0])
	m.release(&lf.children[1])
	lf.children = nil
}

// recycle frees the memory of a leaf's own sums.
func (m *memory) recycle(lf *leaf) {
	if lf.sums != nil {
		m.free = append(m.free, lf.sums)
		lf.sums = nil
	}
	m.forgetCounts(lf)
}

// forgetCounts frees the memory of a leaf's numbers of rows.
func (m *memory) forgetCounts(lf *leaf) {
	if lf.counts = nil; lf.allCounts != nil {
		m.free = append(m.free, lf.allCounts)
		lf.allCounts = nil
	}
}

// drop releases the sums of a leaf that was searched and has no split.
func (m *memory) drop(lf *leaf) {
	if lf.best.gain <= 0 {
		m.release(lf)
	}
}

// newIdle returns a copy of r, in memory that the next tree reuses.
func (m *memory) newIdle(r idleRows) *idleRows {
	if len(m.idle) == cap(m.idle) { // earlier ones stay where they are
		m.idle = make([]idleRows, 0, 64+2*len(m.idle))
	}
	m.idle = append(m.idle, r)
	return &m.idle[len(m.idle)-1]
}

// divideIdle gives the children of a leaf their idle rows, which remain to be divided.
func (m *memory) divideIdle(parent *leaf, children *[2]leaf) {
	if parent.idle == nil {
		return
	}
	left, right := m.newIdle(idleRows{parent: parent.idle}), m.newIdle(idleRows{parent: parent.idle})
	parent.idle.split, parent.idle.children = parent.best, [2]*idleRows{left, right}
	children[0].idle, children[1].idle = left, right
}
