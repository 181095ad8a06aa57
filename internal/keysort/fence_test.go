//go:build linux

package keysort

import (
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/guardpage"
)

func TestNetworksStayWithinTheirKeys(t *testing.T) {
	if !hasNetwork {
		t.Skip("this CPU or build has no networks")
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	rng := rand.New(rand.NewPCG(3, 3))
	pages := guardpage.Memory(t, 1)
	memory := unsafe.Slice((*uint64)(unsafe.Pointer(&pages[0])), len(pages)/8)
	for size := run / 2; size <= manyKeys; size *= 2 {
		for _, first := range []int{0, len(memory) - size} {
			s := Sorter{other: memory[first : first+size : first+size]}
			for n := max(fewKeys, size/2) + 1; n <= size; n++ {
				keys := make([]uint64, n)
				for i := range keys {
					keys[i] = rng.Uint64()
				}
				require.NotPanics(t, func() { s.sortRuns(keys) })
				require.True(t, slices.IsSorted(keys))
				require.Same(t, &memory[first], &s.other[0])
			}
		}
	}
}
