package walk

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/test/aid"
)

// kindOfNodes are the kinds of nodes of a random tree.
type kindOfNodes struct{ masks, wide, categories bool }

// randomTree draws a tree whose nodes each split a random leaf by a random byte below width.
func randomTree(rng *rand.Rand, leaves, width int, kind kindOfNodes) []node {
	type end struct {
		node  int
		right bool
	}
	var nodes []node
	ends := []end{{node: -1}}
	for len(ends) < leaves {
		leaf := rng.IntN(len(ends))
		n := randomNode(rng, width, kind)
		n.left, n.right = int32(^leaf), int32(^len(ends))
		at := ends[leaf]
		switch {
		case at.node < 0:
		case at.right:
			nodes[at.node].right = int32(len(nodes))
		default:
			nodes[at.node].left = int32(len(nodes))
		}
		ends[leaf] = end{len(nodes), false}
		ends = append(ends, end{len(nodes), true})
		nodes = append(nodes, n)
	}
	return nodes
}

// randomNode draws a node without children.
func randomNode(rng *rand.Rand, width int, kind kindOfNodes) node {
	n := node{at: int32(rng.IntN(width)), mask: 255, cut: binsum.Cut{Exception: binsum.NoBin}}
	if kind.masks {
		n.shift = uint8(rng.IntN(8))
		n.mask = 255 >> (n.shift + uint8(rng.IntN(8-int(n.shift))))
		if rng.IntN(2) == 0 {
			n.cut.Exception = int32(uint16(rng.IntN(256)) & n.mask)
		}
	}
	if kind.wide && rng.IntN(2) == 0 && width > 1 {
		n.at, n.mask, n.shift, n.bins = min(n.at, int32(width-2)), 1<<16-1, 0, 1<<16
		if rng.IntN(2) == 0 {
			n.cut.Exception = int32(rng.IntN(1 << 16))
		}
	}
	n.cut.Last = uint16(rng.IntN(1<<16)) & n.mask
	if kind.categories && rng.IntN(2) == 0 {
		n.cut.Right = make([]uint8, int(n.mask)+1)
		for bin := range n.cut.Right {
			n.cut.Right[bin] = uint8(rng.IntN(2))
		}
	}
	return n
}

// TestLeavesEqualNaive puts rows at either end of what may be read.
func TestLeavesEqualNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var memory Memory
	fence := aid.NewFence[uint8](t, 400*200)
	defer func(was kind) { lanes = was }(lanes)
	for _, lanes = range kinds() {
		t.Run(fmt.Sprint("rows=", lanes.rows), func(t *testing.T) {
			lanes.leaves = keepingPointers(t, lanes.leaves)
			for draw := range 150 {
				width := 1 + rng.IntN(200)
				stride := (width + 7) / 8 * 8
				leaves := 1 + rng.IntN(1+rng.IntN(700))
				kind := kindOfNodes{draw&1 > 0, draw&6 == 2, draw&12 == 4}
				if kind.wide && leaves > 80 && leaves <= mostWords*wordLeaves && draw&31 != 2 {
					leaves = 80 // larger tables take time
				}
				nodes := randomTree(rng, leaves, width, kind)
				bytes := fence.Slice(rng.IntN(400)*stride, rng.IntN(2) == 0)
				for i := range bytes {
					bytes[i] = uint8(rng.Uint32())
				}
				if leaves == 1 {
					continue
				}
				var tree byteTree
				tree.set(nodes, stride)
				got := make([]int32, len(bytes)/stride)
				tree.leaves(got, bytes, &memory)
				for row := range got {
					require.Equal(t, tree.leaf(bytes[row*stride:]), got[row], "draw %d, row %d of %d", draw, row,
						len(got))
				}
			}
		})
	}
}

// keepingPointers returns assembly that must not change what the garbage collector takes for a pointer.
func keepingPointers(t *testing.T, leaves func(*plan)) func(*plan) {
	return func(p *plan) {
		before := reflect.ValueOf(*p)
		leaves(p)
		after := reflect.ValueOf(*p)
		for i := range before.NumField() {
			if before.Field(i).Kind() == reflect.Pointer {
				require.Equal(t, before.Field(i).Pointer(), after.Field(i).Pointer(), before.Type().Field(i).Name)
			}
		}
	}
}
