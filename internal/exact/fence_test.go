//go:build linux

package exact

import (
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/test/aid"
)

func TestVectorsStayWithinTheirNumbers(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	pages := aid.GuardedPages(t, 1)
	memory := unsafe.Slice((*float64)(unsafe.Pointer(&pages[0])), len(pages)/8)
	indexes := aid.GuardedPages(t, 1)
	found := unsafe.Slice((*int32)(unsafe.Pointer(&indexes[0])), len(indexes)/4)
	for n := 1; n < 70; n++ {
		for _, x := range [][]float64{memory[:n], memory[len(memory)-n:]} {
			dst := found[len(found)-n-lanes:]
			require.NotPanics(t, func() {
				Exps(x)
				ScaleOf(1).Magnitudes(x)
				Nonzero(dst, x, x, ScaleOf(1e-3), ScaleOf(1), 7)
				for i := range x {
					x[i] = 0
				}
			})
		}
	}
}
