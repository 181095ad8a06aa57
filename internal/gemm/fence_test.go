//go:build linux

package gemm

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"

	"github.com/lambdamart/lambdamart/test/aid"
)

// fenced is memory between inaccessible pages.
type fenced []byte

func newFenced(t *testing.T, pages int) fenced { return fenced(aid.GuardedPages(t, pages)) }

// hold copies values to the end or to the beginning of the memory, next to an inaccessible page.
func (f fenced) hold(values []float32, atEnd bool) []float32 {
	if len(values) == 0 {
		return values
	}
	first := 0
	if atEnd {
		first = len(f) - len(values)*floatBytes
	}
	held := unsafe.Slice((*float32)(unsafe.Pointer(&f[first])), len(values))
	copy(held, values)
	return held
}

// atBothFences runs a test with values at the beginning and with values at the end of fenced memory.
func atBothFences(t *testing.T, test func(r *rand.Rand, atEnd bool)) {
	t.Helper()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	r := rand.New(rand.NewPCG(1, 1))
	test(r, false)
	test(r, true)
}

func TestSgemmStaysWithinItsMatrices(t *testing.T) {
	needsKernel(t)
	a, b, c := newFenced(t, 10), newFenced(t, 10), newFenced(t, 10)
	forTransposes(t, func(t *testing.T, tA, tB blas.Transpose) {
		atBothFences(t, func(r *rand.Rand, atEnd bool) {
			for range 100 {
				p := newProblem(r, tA, tB, 1+r.IntN(40), 1+r.IntN(70), 1+r.IntN(40), r.IntN(3), 1, float32(r.IntN(2)))
				held := p
				held.a, held.b, held.c = a.hold(p.a, atEnd), b.hold(p.b, atEnd), c.hold(p.c, atEnd)
				for _, kernel := range kernels()[1:] {
					require.NotPanics(t, func() {
						Implementation{}.multiply(kernel, tA, tB, p.m, p.n, p.k, 1, held.a, p.lda, held.b, p.ldb,
							p.beta, held.c, p.ldc)
					}, fmt.Sprintf("%+v, m %d, n %d, k %d, at the end: %v", kernel, p.m, p.n, p.k, atEnd))
				}
			}
		})
	})
}

func TestAdamStaysWithinItsSlices(t *testing.T) {
	needsKernel(t)
	var fences [4]fenced
	for i := range fences {
		fences[i] = newFenced(t, 1)
	}
	atBothFences(t, func(r *rand.Rand, atEnd bool) {
		for n := range 40 {
			s := newState(r, n)
			require.NotPanics(t, func() {
				step(1, 0.1, 0).Update(fences[0].hold(s.weight[:n], atEnd), fences[1].hold(s.mean[:n], atEnd),
					fences[2].hold(s.square[:n], atEnd), fences[3].hold(s.gradient[:n], atEnd))
			})
		}
	})
}
