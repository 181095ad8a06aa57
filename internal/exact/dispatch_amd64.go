//go:build !purego

package exact

import (
	"golang.org/x/sys/cpu"

	"github.com/lambdamart/lambdamart/internal/random"
)

// kernels returns the kernels that the CPU and the operating system support, the slowest first.
func kernels() []kernel {
	all := []kernel{inGo}
	if cpu.X86.HasAVX2 {
		all = append(all, avx2)
		if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasPOPCNT {
			all = append(all, avx512)
		}
	}
	return all
}

// expsInVectors replaces the first numbers of x by their exponentials, and returns how many it has replaced.
func (k kernel) expsInVectors(x []float64) int {
	n := len(x) &^ (lanes - 1)
	switch {
	case k == inGo || n == 0:
		return 0
	case k == avx2:
		return expAVX2(&x[0], n, &expTable[0])
	}
	return expAVX512(&x[0], n, &expTable[0])
}

// log2sInVectors replaces the first numbers of x by their logarithms, and returns how many it has replaced.
func (k kernel) log2sInVectors(x []float64) int {
	n := len(x) &^ (logLanes - 1)
	if k == inGo || n == 0 {
		return 0
	}
	return log2AVX2(&x[0], n, &oddReciprocals[0])
}

// magnitudesInVectors is like magnitudesInGo, for a slice whose length is a multiple of lanes. It reports
// whether it did anything.
func (k kernel) magnitudesInVectors(x []float64, s Scale) (sum int64, ok bool) {
	switch {
	case k == inGo || len(x) == 0:
		return 0, false
	case k == avx2:
		sum = magnitudesAVX2(&x[0], len(x), s.up)
	default:
		sum = magnitudesAVX512(&x[0], len(x), s.up)
	}
	return sum - int64(len(x))*roundShiftBits, true
}

// packInVectors packs the first numbers, and returns how many.
func (k kernel) packInVectors(dst []int64, x, y []float64, ofX, ofY Scale) int {
	n := len(dst) &^ 3
	if k == inGo || n == 0 {
		return 0
	}
	_, _ = x[n-1], y[n-1]
	packAVX2(&dst[0], &x[0], &y[0], n, ofX.up, ofY.up)
	return n
}

// nonzeroInVectors is like nonzeroInGo, for slices whose length is a multiple of lanes. It returns the number
// of indexes written to dst, or -1 if it did nothing.
func (k kernel) nonzeroInVectors(dst []int32, x, y []float64, ofX, ofY Scale, key random.Key) int {
	if k != avx512 || len(x) == 0 {
		return -1
	}
	_, _ = dst[len(x)+lanes-1], y[len(x)-1]
	return nonzeroAVX512(&dst[0], &x[0], &y[0], len(x), ofX.up, ofY.up, uint64(key))
}
