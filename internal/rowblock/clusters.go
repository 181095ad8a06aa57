package rowblock

import "unsafe"

// A Cluster is up to seven nodes of a tree, on three levels: node 0, its children 1 and 2, and their children
// 3 to 6. A row has a byte for each column; it goes right at node i if its byte Byte[i] is greater than
// Index[i]. Where the tree has no node, Index is 255. The last elements belong to no node, and their Index is
// 255, too.
//
// The three turns of a row, 1 for right, are the bits of the number of its exit, the first turn the highest.
// An exit is the number of a cluster within the tree, or [LeafExit] plus the number of a leaf.
type Cluster struct {
	Byte  [8]uint8
	Index [8]uint8
	Exit  [8]uint16
}

const (
	LeafExit    = 1 << 15 // the bit of an exit that leads to a leaf
	ClusterSize = 32      // bytes of a Cluster
	Bytes       = 256     // bytes of a row
	Lanes       = 16      // more elements than walks that slices of [Walks] need
)

// Walks are the walks of one row down many trees. A place is ClusterSize times the number of a cluster among
// all clusters. The place of a leaf is that of the first cluster of its tree plus ClusterSize times the exit.
type Walks struct {
	At   []uint32 // by walk: the place that it has reached
	Root []uint32 // by walk: the place of the first cluster of its tree
	Tree []uint32 // by walk: the number of its tree
	Ends []uint32 // by tree: At of its walk after the last step; one more at the end
}

// NewWalks returns memory for walks down a number of trees.
func NewWalks(trees int) Walks {
	lanes := func() []uint32 { return make([]uint32, trees+Lanes) }
	return Walks{At: lanes(), Root: lanes(), Tree: lanes(), Ends: make([]uint32, trees+1)}
}

// Step takes the first n walks to the exits of their clusters. It moves those that have not reached a leaf to
// the front, and returns their number.
func (w *Walks) Step(clusters []Cluster, row *[Bytes]uint8, n int) int {
	if !HasClusters || n == 0 {
		return w.stepInGo(clusters, row, n)
	}
	for i := n; i%8 != 0; i++ { // walks that fill a group of eight
		w.At[i], w.Root[i], w.Tree[i] = 0, 0, uint32(len(w.Ends)-1)
	}
	stepClusters(&clusters[0].Byte[0], &row[0], &w.At[0], &w.Root[0], &w.Tree[0], &w.Ends[0], (n+7)/8)
	return keepOpen(&w.At[0], &w.Root[0], &w.Tree[0], n)
}

// stepInGo is the definition of [Walks.Step].
func (w *Walks) stepInGo(clusters []Cluster, row *[Bytes]uint8, n int) int {
	open := 0
	for i := range n {
		tree, root := w.Tree[i], w.Root[i]
		exit := uint32(clusters[w.At[i]/ClusterSize].exit(row))
		w.Ends[tree] = root + exit*ClusterSize
		w.At[open], w.Root[open], w.Tree[open] = w.Ends[tree], root, tree
		if exit < LeafExit {
			open++
		}
	}
	return open
}

// exit returns the exit of a row.
func (c *Cluster) exit(row *[Bytes]uint8) uint16 {
	node := 0
	for range 3 {
		if row[c.Byte[node]] > c.Index[node] {
			node = 2*node + 2
		} else {
			node = 2*node + 1
		}
	}
	return c.Exit[node-7]
}

var _ [ClusterSize]byte = [unsafe.Sizeof(Cluster{})]byte{}
