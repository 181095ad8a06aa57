package walk

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// A row ends in the only leaf that no node excludes, where a node excludes all leaves below the side to which
// it does not send the row (Lucchese et al., QuickScorer, SIGIR 2015). Since a node tests one column, a table
// by the bins of a column has the leaves that all nodes of the column leave. It takes one load for each
// column, whatever the number of nodes and of bins:
//
//	leaves of a row = table 0 [bin of column 0] & table 1 [bin of column 1] & …     a bit for each leaf

// wordLeaves is the number of leaves in a word of a set.
const wordLeaves = 64

// mostWords limits the tables. A tree with more words of leaves has none, and its rows take steps.
const mostWords = 8

// lookup is the tables of a tree.
type lookup struct {
	words  int // of a set of leaves; 0: there are no tables
	tables []lookupTable
	below  []uint64 // leaves below each internal node; memory
}

// lookupTable is the leaves that the nodes of a column leave, or of all columns that share a byte.
type lookupTable struct {
	at    int32    // byte of the row; of two bytes if the column is wide, the lower one
	wide  bool     // indexed by two bytes
	bins  int      // number of values of the byte, or of bins of the wide column
	nodes []int32  // that test the byte
	left  []uint64 // leaves that are left, by word and then by value
}

// set makes the tables of a tree, unless it has too many leaves or the assembly can test its nodes.
func (l *lookup) set(nodes []node) {
	l.tables, l.words = l.tables[:0], (len(nodes)+wordLeaves)/wordLeaves
	if l.words > mostWords || !slices.ContainsFunc(nodes, node.isSpecial) {
		l.words = 0
		return
	}
	l.setBelow(nodes)
	for i := range nodes {
		t := l.tableOf(&nodes[i])
		t.nodes = append(t.nodes, int32(i))
	}
	for i := range l.tables {
		t := &l.tables[i]
		t.left = reuse.Slice(t.left, l.words*t.bins)
		for word := range l.words {
			l.fill(t, nodes, word)
		}
	}
}

// tableOf returns the table for a node's column.
func (l *lookup) tableOf(n *node) *lookupTable {
	i := slices.IndexFunc(l.tables, func(t lookupTable) bool { return t.at == n.at && t.wide == (n.mask > 255) })
	if i >= 0 {
		return &l.tables[i]
	}
	if len(l.tables) < cap(l.tables) {
		l.tables = l.tables[:len(l.tables)+1]
	} else {
		l.tables = append(l.tables, lookupTable{})
	}
	t := &l.tables[len(l.tables)-1]
	t.at, t.wide, t.bins, t.nodes = n.at, n.mask > 255, 256, t.nodes[:0]
	if t.wide {
		t.bins = n.bins
	}
	return t
}

// setBelow finds the leaves below each internal node. Children come after their parents.
func (l *lookup) setBelow(nodes []node) {
	l.below = reuse.Slice(l.below, len(nodes)*l.words)
	for i := len(nodes) - 1; i >= 0; i-- {
		for word := range l.words {
			l.below[i*l.words+word] = l.leaves(nodes[i].left, word) | l.leaves(nodes[i].right, word)
		}
	}
}

// leaves returns a word of the leaves below a child.
func (l *lookup) leaves(child int32, word int) uint64 {
	switch leaf := ^child; {
	case child >= 0:
		return l.below[int(child)*l.words+word]
	case int(leaf)/wordLeaves == word:
		return 1 << (leaf % wordLeaves)
	}
	return 0
}

// fill sets a word of the sets of a table.
func (l *lookup) fill(t *lookupTable, nodes []node, word int) {
	left := t.left[word*t.bins:][:t.bins]
	for bin := range left {
		left[bin] = l.leaves(0, word)
	}
	for _, number := range t.nodes {
		n := &nodes[number]
		keep := [2]uint64{^l.leaves(n.right, word), ^l.leaves(n.left, word)} // by side
		switch {
		case !t.wide:
			for value := range left {
				left[value] &= keep[n.cut.Side(uint16(value)>>n.shift&n.mask)&1]
			}
		case n.cut.Right != nil:
			for bin, side := range n.cut.Right[:len(left)] {
				left[bin] &= keep[side&1]
			}
		default:
			keepRanges(left, &n.cut, keep)
		}
	}
}

// keepRanges is the part of fill for a node that cuts a wide column of numbers.
func keepRanges(left []uint64, cut *binsum.Cut, keep [2]uint64) {
	middle, except := min(int(cut.Last)+1, len(left)), int(cut.Exception)
	excepted := uint64(0)
	if except < len(left) {
		excepted = left[except] & keep[cut.Side(uint16(except))]
	}
	for bin := range left[:middle] {
		left[bin] &= keep[0]
	}
	for bin := middle; bin < len(left); bin++ {
		left[bin] &= keep[1]
	}
	if except < len(left) {
		left[except] = excepted
	}
}

// lookupRows is the number of rows that are looked up in one table after the other.
const lookupRows = 256

// leavesOf writes the leaves of rows to dst.
func (l *lookup) leavesOf(dst []int32, rows []uint8, stride int) {
	var left [lookupRows]uint64
	for len(dst) > 0 {
		n := min(lookupRows, len(dst))
		for word := range l.words {
			l.search(dst[:n], left[:n], rows, stride, word)
		}
		dst, rows = dst[n:], rows[n*stride:]
	}
}

// search writes to dst those leaves of rows that are in a word of sets.
func (l *lookup) search(dst []int32, left []uint64, rows []uint8, stride, word int) {
	for i := range left {
		left[i] = ^uint64(0)
	}
	for i := range l.tables {
		l.tables[i].exclude(left, rows, stride, word)
	}
	for i, set := range left {
		if set != 0 {
			dst[i] = int32(word*wordLeaves + bits.TrailingZeros64(set))
		}
	}
}

// exclude takes out of the sets of rows the leaves that the table excludes.
func (t *lookupTable) exclude(left []uint64, rows []uint8, stride, word int) {
	table, at := t.left[word*t.bins:][:t.bins], int(t.at)
	if t.wide {
		for i := range left {
			left[i] &= table[binary.LittleEndian.Uint16(rows[at:])]
			at += stride
		}
		return
	}
	bytes := (*[256]uint64)(table)
	for i := range left {
		left[i] &= bytes[rows[at]]
		at += stride
	}
}
