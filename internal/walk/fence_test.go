//go:build linux

package walk

import (
	"math/rand/v2"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/test/aid"
)

func TestLeavesStayWithinTheRows(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func(was kind) { lanes = was }(lanes)
	rng := rand.New(rand.NewPCG(5, 6))
	pages := aid.GuardedPages(t, 16)
	for _, lanes = range kinds() {
		for _, stride := range []int{8, 16, 24, 136, 144} {
			var tree byteTree
			tree.set(randomTree(rng, 40, stride, kindOfNodes{}), stride)
			n := min(300, len(pages)/stride)
			for _, bytes := range [][]uint8{pages[len(pages)-n*stride:], pages[:n*stride]} {
				for i := range bytes {
					bytes[i] = uint8(rng.Uint32())
				}
				got := make([]int32, n)
				require.NotPanics(t, func() { tree.leaves(got, bytes, new(Memory)) })
				for row := range got {
					require.Equal(t, tree.leaf(bytes[row*stride:]), got[row])
				}
			}
		}
	}
}
