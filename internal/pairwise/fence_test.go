//go:build linux

package pairwise

import (
	"math/rand/v2"
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/guardpage"
)

func TestPairsStayWithinTheirDocuments(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	r := rand.New(rand.NewPCG(7, 7))
	pages := guardpage.Memory(t, 2)
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

func TestRankStaysWithinItsDocuments(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	numbers, integers := guardpage.Memory(t, 1), guardpage.Memory(t, 1)
	scores := unsafe.Slice((*float64)(unsafe.Pointer(&numbers[0])), len(numbers)/8)
	order := unsafe.Slice((*int32)(unsafe.Pointer(&integers[0])), len(integers)/4)
	for n := 1; n < 100; n++ {
		scores, order := scores[len(scores)-n:], order[len(order)-n:]
		for i := range order {
			order[i], scores[i] = int32(i), float64(i%7)
		}
		r := Ranking{sorted: rankMemory{scores: outputOf[float64](t, rankWindow+n+lanes+1),
			order: outputOf[int32](t, rankWindow+n)}}
		require.NotPanics(t, func() { r.Rank(scores, order, nil) })
	}
}

// outputOf returns n values at the end of accessible memory.
func outputOf[T float64 | int32](t *testing.T, n int) []T {
	pages := guardpage.Memory(t, 1)
	size := int(unsafe.Sizeof(T(0)))
	all := unsafe.Slice((*T)(unsafe.Pointer(&pages[0])), len(pages)/size)
	return all[len(all)-n:]
}
