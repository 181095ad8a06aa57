package tree

import (
	"slices"

	"github.com/lambdamart/lambdamart/internal/rowblock"
)

// interleaved scores one row at a time. A walk down a tree waits for memory at every node, so the
// row walks down many trees at once, and the waits overlap.
//
// The alternative, many rows walking down one tree at once, was measured. It took 30 % less time with 255
// leaves a tree, where blocks (see bitsliced.go) are again three times as fast, and was no faster with 5,000,
// where there are no blocks.
//
// Paths have very different lengths. So the walk goes in rounds: each round goes down the same few steps in
// every unfinished tree, without a branch, and keeps the trees that are not at a leaf for the next round. A
// leaf leads to itself, so that further steps change nothing. The state of a tree in a round is kept in
// memory, because the state of so many trees would not fit into registers, and a CPU forwards a value that
// was just written.
//
// Siblings are stored as a pair: two nodes side by side, left and right. Pair 0 of a tree is its
// root and an unused node. A node is one small integer, so that a model stays in the cache:
//
//	bits 0 to 7    index of the threshold among the 255 of its byte
//	bits 8 to 19   byte of the ranks: right if it is greater than the index
//	bits 20 to 31  number of the pair that it leads to, in its tree
//
// A column with more than 255 thresholds has several bytes, each with the rank among 255 of them. A
// leaf leads to its own pair; it finds its own side there by comparing a byte that is always 0 or
// always 255.
//
// Such nodes are for CPUs without a kernel for clusters (see clustered), and for models whose columns take
// more bytes than clusters can compare.
//
// A tree that is a table (see table.go) is not walked. Its conditions, in the same form as nodes, are
// compared one after the other, and their results are the bits of the place of its value.
type interleaved struct {
	nodes     []uint32  // pair after pair, tree after tree
	values    []float64 // by place in nodes: the value of the leaf, 0 for other nodes; then the values of tables
	first     []uint32  // by tree: the place of its first pair in nodes, or of the first value of its table
	walked    []uint32  // the trees that are not tables
	tables    []walkTable
	firstByte []int      // by column
	bytes     int        // number of bytes of all columns; the two of the leaves follow them
	clustered *clustered // in place of nodes; nil without a kernel or if there are too many bytes
}

const (
	lanes       = 8 // trees that a round walks down side by side
	firstSteps  = 8 // of the first round: few paths are shorter
	stepsARound = 4 // of the others

	thresholdsAByte = 255
	maxBytes        = 1 << 12 // bytes of all columns, and the two bytes of the leaves
	maxPairs        = 1 << 12 // of a tree, and so the largest number of its leaves
	maxPlaces       = 1 << 30 // of a model
	maxClusters     = 1 << 26 // of a model
)

// newInterleaved returns the interleaved form of trees, or nil if they are too large or have linear leaves.
func newInterleaved(trees []Tree, tables []*table, q *quantizer) *interleaved {
	w := &interleaved{firstByte: make([]int, len(q.columns))}
	for i := range q.columns {
		w.firstByte[i] = w.bytes
		w.bytes += (q.columns[i].conditions() + thresholdsAByte - 1) / thresholdsAByte
	}
	if w.bytes+2 > maxBytes {
		return nil
	}
	if rowblock.HasClusters && w.bytes <= rowblock.Bytes {
		w.clustered = &clustered{}
	}
	for i := range trees {
		if trees[i].Linear != nil || trees[i].NumLeaves() > maxPairs || w.full() {
			return nil
		}
		if tables[i] != nil {
			w.first = append(w.first, 0)
			continue
		}
		w.walked = append(w.walked, uint32(i))
		if w.clustered != nil {
			w.first = append(w.first, uint32(len(w.values)))
			w.values = append(w.values, trees[i].LeafValue...)
			w.clustered.addTree(&trees[i], func(node int) (threshold, index uint8) {
				c := w.condition(q.conditionOf(&trees[i], node))
				return uint8(c >> 8), uint8(c)
			})
			continue
		}
		w.addTree(&trees[i], q)
	}
	w.addTree(&Tree{LeafValue: []float64{0}}, q) // fills the last lanes of a round
	for i, t := range tables {
		if t != nil {
			w.addTable(i, t)
		}
	}
	return w
}

// full reports whether the model may be too large for one more tree.
func (w *interleaved) full() bool {
	return len(w.nodes) > maxPlaces || w.clustered != nil && len(w.clustered.clusters) > maxClusters
}

// walkTable is the table of a tree.
type walkTable struct {
	tree       int
	conditions []uint32 // each has the bits of a node: byte of the ranks and index of the threshold
}

// addTable adds the table of a tree. Its values come after the values of all nodes.
func (w *interleaved) addTable(tree int, t *table) {
	w.first[tree] = uint32(len(w.values))
	w.values = append(w.values, t.values...)
	added := walkTable{tree: tree}
	for _, c := range slices.Backward(t.conditions) {
		added.conditions = append(added.conditions, w.condition(c))
	}
	w.tables = append(w.tables, added)
}

// condition returns the bits of a node that encode its comparison: the byte of the ranks, and the bound.
func (w *interleaved) condition(c condition) uint32 {
	return uint32((w.firstByte[c.column]+c.index/thresholdsAByte)<<8 | c.index%thresholdsAByte)
}

// addTree adds the nodes of a tree level by level, so that the first steps of many walks share
// cache lines.
func (w *interleaved) addTree(t *Tree, q *quantizer) {
	w.first = append(w.first, uint32(len(w.nodes)))
	children := []int32{t.Root(), ^0} // by place
	for place := 0; place < len(children); place++ {
		child := children[place]
		if child < 0 {
			w.addLeaf(place, t.LeafValue[^child])
			continue
		}
		w.nodes = append(w.nodes, uint32(len(children)/2)<<20|w.condition(q.conditionOf(t, int(child))))
		w.values = append(w.values, 0)
		children = append(children, t.Left[child], t.Right[child])
	}
}

func (w *interleaved) addLeaf(place int, value float64) {
	w.nodes = append(w.nodes, uint32(place/2<<20|(w.bytes+place%2)<<8))
	w.values = append(w.values, value)
}

// walkScratch is the memory that scoring a row needs.
type walkScratch struct {
	rank   [1]uint16
	ranks  [maxBytes]uint8
	places []uint32 // by tree: the place where it ends
	// The trees that are not finished, where they are, and where they begin.
	open, at, root []uint32
	walks          rowblock.Walks
}

func (w *interleaved) newScratch() *walkScratch {
	size := len(w.first) + lanes
	x := &walkScratch{places: make([]uint32, len(w.first)),
		open: make([]uint32, size), at: make([]uint32, size), root: make([]uint32, size)}
	if w.clustered != nil {
		x.walks = rowblock.NewWalks(len(w.walked))
	}
	x.ranks[w.bytes], x.ranks[w.bytes+1] = 0, thresholdsAByte
	return x
}

// scoreWalk returns the sum of all trees for a row.
func scoreWalk[F number](w *interleaved, q *quantizer, x *walkScratch, row []F) float64 {
	for i := range q.columns {
		c := &q.columns[i]
		ranks(c, x.rank[:], row, 0)
		rank, at := int(x.rank[0]), w.firstByte[i]
		x.ranks[at] = uint8(min(rank, thresholdsAByte))
		for more := c.conditions() - thresholdsAByte; more > 0; more -= thresholdsAByte {
			rank, at = max(rank-thresholdsAByte, 0), at+1
			x.ranks[at] = uint8(min(rank, thresholdsAByte))
		}
	}
	return w.score(x)
}

// score returns the sum of all trees for the row whose ranks are in x.
func (w *interleaved) score(x *walkScratch) float64 {
	copy(x.places, w.first)
	w.lookUp(x)
	if w.clustered != nil {
		w.clustered.walk(&x.walks, (*[rowblock.Bytes]uint8)(x.ranks[:]))
		for i, t := range w.walked {
			x.places[t] += w.clustered.leaf(&x.walks, i)
		}
	} else {
		w.walk(x)
	}
	sum := 0.0
	for _, place := range x.places[:len(w.first)-1] {
		sum += w.values[place]
	}
	return sum
}

// walk goes down all trees that are walked.
func (w *interleaved) walk(x *walkScratch) {
	none := len(w.first) - 1 // the tree that fills lanes
	n := copy(x.open, w.walked)
	for i, t := range w.walked {
		x.at[i], x.root[i] = w.first[t], w.first[t]
	}
	for steps := firstSteps; n > 0; steps = stepsARound {
		for i := n; i%lanes != 0; i++ {
			x.open[i], x.at[i], x.root[i] = uint32(none), w.first[none], w.first[none]
		}
		n = w.round(x, n, steps)
	}
}

// lookUp finds the places of the values of all tables.
func (w *interleaved) lookUp(x *walkScratch) {
	ranks := &x.ranks
	for i := range w.tables {
		t := &w.tables[i]
		number := uint32(0)
		for _, c := range t.conditions {
			number += number + goesRight(c, ranks)
		}
		x.places[t.tree] += number
	}
}

// round goes down the given number of nodes in each of the first n open trees. It returns the number of
// those that may not be finished, which it moves to the front.
func (w *interleaved) round(x *walkScratch, n, steps int) int {
	nodes, ranks := w.nodes, &x.ranks
	left := 0
	for i := 0; i < n; i += lanes {
		at, root := (*[lanes]uint32)(x.at[i:]), (*[lanes]uint32)(x.root[i:])
		for range steps - 1 {
			at[0] = root[0] + step(nodes[at[0]], ranks)
			at[1] = root[1] + step(nodes[at[1]], ranks)
			at[2] = root[2] + step(nodes[at[2]], ranks)
			at[3] = root[3] + step(nodes[at[3]], ranks)
			at[4] = root[4] + step(nodes[at[4]], ranks)
			at[5] = root[5] + step(nodes[at[5]], ranks)
			at[6] = root[6] + step(nodes[at[6]], ranks)
			at[7] = root[7] + step(nodes[at[7]], ranks)
		}
		for lane, from := range at {
			tree, first := x.open[i+lane], root[lane]
			to := first + step(nodes[from], ranks)
			x.places[tree] = to
			x.open[left], x.at[left], x.root[left] = tree, to, first
			left += moved(from, to)
		}
	}
	return left
}

// step returns the place, within its tree, to which a row goes from a node.
func step(node uint32, ranks *[maxBytes]uint8) uint32 {
	return node>>20*2 + goesRight(node, ranks)
}

// goesRight returns 1 if a row goes right at a node, else 0.
func goesRight(node uint32, ranks *[maxBytes]uint8) uint32 {
	return uint32(int32(node&thresholdsAByte)-int32(ranks[node>>8&(maxBytes-1)])) >> 31
}

// moved returns 1 if a step has changed the place, else 0. Children have later places than their parents.
func moved(from, to uint32) int { return int((from - to) >> 31) }

// clustered are the walked trees of an interleaved scorer as clusters of nodes, for CPUs that compare the
// nodes of eight clusters with one instruction. A walk goes down three levels of its tree at a time.
type clustered struct {
	clusters []rowblock.Cluster // tree after tree, level after level
	roots    []uint32           // by walked tree, as in [rowblock.Walks]
	numbers  []uint32           // of the walked trees: 0, 1, 2 and so on
}

// addTree adds the clusters of a tree. condition returns the threshold and the index that a node compares.
func (c *clustered) addTree(t *Tree, condition func(node int) (threshold, index uint8)) {
	c.numbers = append(c.numbers, uint32(len(c.roots)))
	c.roots = append(c.roots, uint32(len(c.clusters)*rowblock.ClusterSize))
	tops := []int32{0} // by cluster: the highest node
	for i := 0; i < len(tops); i++ {
		var added rowblock.Cluster
		for j := range added.Index {
			added.Index[j] = thresholdsAByte
		}
		places := [15]int32{tops[i]} // nodes and leaves: place i leads to places 2*i+1 and 2*i+2
		for place := range 7 {
			node := places[place]
			left, right := node, node
			if node >= 0 {
				added.Byte[place], added.Index[place] = condition(int(node))
				left, right = t.Left[node], t.Right[node]
			}
			places[2*place+1], places[2*place+2] = left, right
		}
		for j, node := range places[7:] {
			if added.Exit[j] = rowblock.LeafExit | uint16(^node); node >= 0 {
				added.Exit[j] = uint16(len(tops))
				tops = append(tops, node)
			}
		}
		c.clusters = append(c.clusters, added)
	}
}

// walk goes down all trees.
func (c *clustered) walk(x *rowblock.Walks, row *[rowblock.Bytes]uint8) {
	copy(x.At, c.roots)
	copy(x.Root, c.roots)
	for n := copy(x.Tree, c.numbers); n > 0; {
		n = x.Step(c.clusters, row, n)
	}
}

// leaf returns the leaf where the walk down a walked tree has ended.
func (c *clustered) leaf(x *rowblock.Walks, number int) uint32 {
	return (x.Ends[number]-c.roots[number])/rowblock.ClusterSize - rowblock.LeafExit
}
