//go:build linux

package pairwise

import (
	"math/rand/v2"
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/test/aid"
)

func TestPairsStayWithinTheirDocuments(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	r := rand.New(rand.NewPCG(7, 7))
	pages := aid.GuardedPages(t, 2)
	memory := unsafe.Slice((*float64)(unsafe.Pointer(&pages[0])), len(pages)/8)
	for n := 2; n < 100; n++ {
		q := newQuery(r, n, 5, 10)
		var d Documents
		d.resize(n)
		size := len(d.values)
		for _, first := range []int{0, len(memory) - size} {
			for _, k := range kernels() {
				d := Documents{values: memory[first : first+size : first+size]}
				d.Fill(q.scores, q.order, q.gains, q.discounts, q.sigma)
				require.NotPanics(t, func() { d.pairs(k, n, 0.01) }, "%v, %d documents", k, n)
				require.Same(t, &memory[first], &d.values[0])
			}
		}
	}
}
