//go:build !purego

package exact

import (
	"golang.org/x/sys/cpu"

	"github.com/lambdamart/lambdamart/internal/random"
)

var hasVectors = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasPOPCNT

// expsInVectors replaces the first numbers of x by their exponentials, and returns how many it has replaced.
func expsInVectors(x []float64) int {
	if n := len(x) &^ (lanes - 1); hasVectors && n > 0 {
		return expAVX512(&x[0], n, &expTable[0])
	}
	return 0
}

// nonzeroInVectors is like nonzeroInGo, for slices whose length is a multiple of lanes. It returns the number
// of indexes written to dst, or -1 if it did nothing.
func nonzeroInVectors(dst []int32, x, y []float64, ofX, ofY Scale, key random.Key) int {
	if !hasVectors || len(x) == 0 {
		return -1
	}
	_, _ = dst[len(x)+lanes-1], y[len(x)-1]
	return nonzeroAVX512(&dst[0], &x[0], &y[0], len(x), ofX.up, ofY.up, uint64(key))
}

// magnitudesInVectors is like magnitudesInGo, for a slice whose length is a multiple of lanes. It reports
// whether it did anything.
func (s Scale) magnitudesInVectors(x []float64) (sum int64, ok bool) {
	if !hasVectors || len(x) == 0 {
		return 0, false
	}
	return magnitudesAVX512(&x[0], len(x), s.up) - int64(len(x))*roundShiftBits, true
}
