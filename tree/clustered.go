package tree

import "github.com/lambdamart/lambdamart/internal/rowblock"

// clustered are the walked trees of an interleaved scorer as clusters of nodes, for CPUs that compare the
// nodes of eight clusters with one instruction. A walk goes down three levels of its tree at a time.
type clustered struct {
	clusters []rowblock.Cluster // tree after tree, level after level
	roots    []uint32           // by walked tree, as in [rowblock.Walks]
	numbers  []uint32           // of the walked trees: 0, 1, 2 and so on
}

// addTree adds the clusters of a tree. condition returns the byte and the index that a node compares.
func (c *clustered) addTree(t *Tree, condition func(node int) (byte, index uint8)) {
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
