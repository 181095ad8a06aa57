//go:build linux

package pairwise

import (
	"math/rand/v2"
	"os"
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// fence returns a page of memory between two that must not be touched: assembly that
// reads or writes one value too many on either side faults.
func fence(t *testing.T, pages int) []float64 {
	t.Helper()
	size := os.Getpagesize()
	all, err := unix.Mmap(-1, 0, (pages+2)*size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, unix.Munmap(all)) })
	require.NoError(t, unix.Mprotect(all[:size], unix.PROT_NONE))
	require.NoError(t, unix.Mprotect(all[(pages+1)*size:], unix.PROT_NONE))
	return unsafe.Slice((*float64)(unsafe.Pointer(&all[size])), pages*size/8)
}

func TestPairsStayWithinTheirDocuments(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	r := rand.New(rand.NewPCG(7, 7))
	memory := fence(t, 2)
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

func TestFencesHold(t *testing.T) {
	memory := fence(t, 1)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	require.Panics(t, func() { *(*float64)(unsafe.Add(unsafe.Pointer(&memory[len(memory)-1]), 8)) = 2 })
}
