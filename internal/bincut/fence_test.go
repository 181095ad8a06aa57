//go:build linux

package bincut

import (
	"math/rand/v2"
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/test/aid"
)

// TestKernelsStayWithinTheColumn: columns at the very beginning or end of accessible memory. Kernels
// process whole vectors, but must not access lanes beyond the column.
func TestKernelsStayWithinTheColumn(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	rng := rand.New(rand.NewPCG(5, 5))
	pages := aid.GuardedPages(t, 1)
	memory := unsafe.Slice((*int64)(unsafe.Pointer(&pages[0])), len(pages)/8)
	for range 500 {
		p := randomProblem(rng)
		p.column.Counts = nil
		if rng.IntN(2) == 0 {
			p.column.Missing = int32(rng.IntN(len(p.column.Sums)))
		}
		want := p.brute()
		for _, first := range []int{0, len(memory) - len(p.column.Sums)} {
			held := memory[first : first+len(p.column.Sums)]
			copy(held, p.column.Sums)
			p.column.Sums = held
			for _, k := range kernels() {
				require.NotPanics(t, func() { require.Equal(t, want, p.by(k)) }, "%v, %d bins", k, len(held))
			}
		}
	}
}
