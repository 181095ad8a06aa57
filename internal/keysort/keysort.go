// Package keysort sorts some dozens or hundreds of unpredictable 64-bit keys, very often: once for each query
// of a data set and each random ranking of it (yetirank).
//
// The branches of a sort by comparisons would be mispredicted. Neither method here has branches that depend
// on a key:
//
//   - Networks of comparators sort 64 or 128 keys in the registers of AVX-512, and runs of 128 are merged in
//     memory. The program in _generate, a module of its own, writes kernel_amd64.s and kernel_amd64.go.
//   - Elsewhere, and for many keys, two passes distribute them by their first 14 bits, and a few steps of
//     insertion finish.
//
// The result is the same as of [slices.Sort].
package keysort

//go:generate go run -C _generate . -out ../kernel_amd64.s -stubs ../kernel_amd64.go -pkg keysort

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/reuse"
)

// Sorter sorts keys. It reuses its memory. The zero value is ready for use.
type Sorter struct {
	other []uint64
	count [2][1 << digitBits]int32
}

const (
	fewKeys  = 24  // are sorted by insertion alone
	manyKeys = 512 // are the most for networks
	run      = 128 // keys that one network sorts
)

// Sort sorts keys in ascending order.
func (s *Sorter) Sort(keys []uint64) {
	if hasNetwork && len(keys) > fewKeys && len(keys) <= manyKeys {
		s.sortRuns(keys)
	} else {
		s.sortInGo(keys)
	}
}

// sortRuns sorts with networks: runs of 128 keys, padded with the largest number, then pairs of runs, pairs
// of pairs, and so on.
func (s *Sorter) sortRuns(keys []uint64) {
	size := run / 2
	for size < len(keys) {
		size *= 2
	}
	s.other = reuse.Slice(s.other, size)
	all := s.other
	for i := copy(all, keys); i < size; i++ {
		all[i] = math.MaxUint64
	}
	if size < run {
		sort64(&all[0])
	}
	for first := 0; first+run <= size && first < len(keys); first += run {
		sort128(&all[first])
	}
	for sorted := run; sorted < size; sorted *= 2 {
		for first := 0; first < size; first += 2 * sorted {
			merge(all[first:first+sorted], all[first+sorted:first+2*sorted])
		}
	}
	copy(keys, all)
}

// merge merges two sorted runs of equal length; the second follows the first in memory.
func merge(low, high []uint64) {
	fold(&low[0], &high[0], len(low))
	finish(low)
	finish(high)
}

// finish sorts a bitonic sequence.
func finish(keys []uint64) {
	if len(keys) == run {
		finish128(&keys[0])
		return
	}
	half := len(keys) / 2
	split(&keys[0], &keys[half], half)
	finish(keys[:half])
	finish(keys[half:])
}
