//go:build linux

package rowblock

import (
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/test/aid"
)

// TestMapsStayWithinMemory: values, thresholds and maps at the end of accessible memory.
func TestMapsStayWithinMemory(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	testFence[float32](t)
	testFence[float64](t)
}

// TestStepsStayWithinMemory: clusters, rows and walks at the end of accessible memory.
func TestStepsStayWithinMemory(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	end := func(bytes int) unsafe.Pointer {
		pages := aid.GuardedPages(t, 3)
		return unsafe.Pointer(&pages[len(pages)-bytes])
	}
	for _, n := range []int{1, 8, 15, 16, 17} {
		numbers := func(n int) []uint32 { return unsafe.Slice((*uint32)(end(4*n)), n) }
		w := Walks{numbers(n + Lanes), numbers(n + Lanes), numbers(n + Lanes), numbers(n + 1)}
		clusters := unsafe.Slice((*Cluster)(end(ClusterSize)), 1)
		require.NotPanics(t, func() { w.Step(clusters, (*[Bytes]uint8)(end(Bytes)), n) })
	}
}

func testFence[F Float](t *testing.T) {
	var zero F
	size := int(unsafe.Sizeof(zero))
	end := func(bytes int) unsafe.Pointer {
		pages := aid.GuardedPages(t, 3)
		return unsafe.Pointer(&pages[len(pages)-bytes])
	}
	values := (*[Values]F)(end(size * Values))
	for _, n := range []int{1, 2, 7} {
		thresholds, maps := unsafe.Slice((*F)(end(size*n)), n), unsafe.Slice((*uint64)(end(8*n)), n)
		rows := unsafe.Slice((*F)(end(size*n*8*11)), n*8*11)
		require.NotPanics(t, func() { Columns(new([Width][Values]F), rows, 11, 3) })
		require.NotPanics(t, func() { Infinite(rows) })
		require.NotPanics(t, func() { Maps(maps, 1, values, 0, thresholds) })
		if HasKernel {
			conditions := unsafe.Slice((*uint64)(end(8*Words*n)), Words*n)
			nodes := unsafe.Slice((*uint32)(end(4)), 1)
			nodes[0] = uint32(n-1) << 8
			codes := (*[8 * Words]uint64)(end(8 * 8 * Words))
			slots := (*[(256 + 8) * Words]uint64)(end(8 * (256 + 8) * Words))
			require.NotPanics(t, func() { Leaves(codes, slots, conditions, nodes) })
		}
	}
}
