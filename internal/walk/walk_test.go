package walk

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// randomTree draws a tree whose nodes each split a random leaf by a random byte below width. In a plain
// tree they compare whole bytes.
func randomTree(rng *rand.Rand, leaves, width int, plain bool) []Node {
	type end struct {
		node  int
		right bool
	}
	var nodes []Node
	ends := []end{{node: -1}}
	for len(ends) < leaves {
		leaf := rng.IntN(len(ends))
		n := Node{At: int32(rng.IntN(width)), Left: int32(^leaf), Right: int32(^len(ends)),
			Bin:  uint8(rng.IntN(256)),
			Mask: 255, Exception: -1}
		if !plain {
			n.Mask = uint8(rng.IntN(256))
			n.Bin &= n.Mask
			if rng.IntN(2) == 0 {
				n.Exception = int16(uint8(rng.IntN(256)) & n.Mask)
			}
		}
		at := ends[leaf]
		switch {
		case at.node < 0:
		case at.right:
			nodes[at.node].Right = int32(len(nodes))
		default:
			nodes[at.node].Left = int32(len(nodes))
		}
		ends[leaf] = end{len(nodes), false}
		ends = append(ends, end{len(nodes), true})
		nodes = append(nodes, n)
	}
	return nodes
}

// leafOf sends a row down the tree node by node.
func leafOf(nodes []Node, row []uint8) int32 {
	at := int32(0)
	for len(nodes) > 0 && at >= 0 {
		n := &nodes[at]
		bin := row[n.At] & n.Mask
		if (bin > n.Bin) != (int16(bin) == n.Exception) {
			at = n.Right
		} else {
			at = n.Left
		}
	}
	if len(nodes) == 0 {
		return 0
	}
	return ^at
}

func TestLeavesEqualNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var memory Memory
	defer func(was kind) { lanes = was }(lanes)
	for _, lanes = range kinds() {
		t.Run(fmt.Sprint("rows=", lanes.rows), func(t *testing.T) {
			for draw := range 400 {
				width := 1 + rng.IntN(200)
				stride := (width + 7) / 8 * 8
				leaves := 1 + rng.IntN(1+rng.IntN(700))
				nodes := randomTree(rng, leaves, width, draw%2 == 0)
				bytes := make([]uint8, rng.IntN(400)*stride)
				for i := range bytes {
					bytes[i] = uint8(rng.Uint32())
				}
				var tree Tree
				tree.Set(nodes, stride)
				got := make([]int32, len(bytes)/stride)
				tree.Leaves(got, bytes, &memory)
				for row := range got {
					require.Equal(t, leafOf(nodes, bytes[row*stride:]), got[row], "draw %d, row %d of %d", draw, row,
						len(got))
				}
			}
		})
	}
}

func BenchmarkLeaves(b *testing.B) {
	const rows, stride = 1 << 16, 136
	rng := rand.New(rand.NewPCG(3, 4))
	bytes := make([]uint8, rows*stride)
	for i := range bytes {
		bytes[i] = uint8(rng.Uint32())
	}
	defer func(was kind) { lanes = was }(lanes)
	for _, lanes = range kinds() {
		for _, c := range []struct {
			name   string
			leaves int
			plain  bool
		}{{"leaves=255", 255, true}, {"leaves=31", 31, true}, {"leaves=255/exceptions", 255, false}} {
			b.Run(fmt.Sprint("rows=", lanes.rows, "/", c.name), func(b *testing.B) {
				var tree Tree
				tree.Set(randomTree(rng, c.leaves, stride, c.plain), stride)
				var memory Memory
				dst := make([]int32, rows)
				for b.Loop() {
					for from := 0; from < rows; from += 4096 {
						tree.Leaves(dst[from:from+4096], bytes[from*stride:(from+4096)*stride], &memory)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
			})
		}
	}
}
