package objective

import (
	"math/bits"
	"slices"

	"github.com/lambdamart/lambdamart/internal/reuse"
)

// keySorter sorts some dozens or hundreds of unpredictable 64-bit keys, very often: once for each query
// of a data set and each random ranking of it (yetirank).
//
// The branches of a sort by comparisons would be mispredicted. Here two passes distribute the keys by their
// first 14 bits, without a branch that depends on a key, and a few steps of insertion finish.
//
// The result is the same as of [slices.Sort].
//
// It reuses its memory. The zero value is ready for use.
type keySorter struct {
	other []uint64
	count [2][1 << digitBits]int32
}

const (
	fewKeys   = 24 // are sorted by insertion alone
	digitBits = 7
	digitMask = 1<<digitBits - 1
)

// sort sorts keys in ascending order.
func (s *keySorter) sort(keys []uint64) {
	steps := 4 * len(keys)
	if len(keys) > fewKeys {
		s.distribute(keys)
	} else {
		steps = fewKeys * fewKeys
	}
	if !insertKeys(keys, steps) { // most keys are close together, and a few are not
		slices.Sort(keys)
	}
}

// distribute sorts keys by the first 14 bits after their common prefix.
func (s *keySorter) distribute(keys []uint64) {
	least, most := keys[0], keys[0]
	for _, k := range keys {
		least, most = min(least, k), max(most, k)
	}
	shift := max(0, bits.Len64(most-least)-2*digitBits)
	s.count = [2][1 << digitBits]int32{}
	for _, k := range keys {
		digits := (k - least) >> shift
		s.count[0][digits&digitMask]++
		s.count[1][digits>>digitBits&digitMask]++
	}
	s.other = reuse.Slice(s.other, len(keys))
	s.pass(s.other, keys, 0, least, shift)
	s.pass(keys, s.other, 1, least, shift)
}

// pass moves keys to dst, stably sorted by a digit.
func (s *keySorter) pass(dst, keys []uint64, digit int, least uint64, shift int) {
	next, sum := &s.count[digit], int32(0)
	for i, n := range next {
		next[i] = sum
		sum += n
	}
	shift += digit * digitBits
	for _, k := range keys {
		at := &next[(k-least)>>shift&digitMask]
		dst[*at] = k
		*at++
	}
}

// insertKeys sorts keys by insertion. It gives up after the given number of steps, and then returns false.
func insertKeys(keys []uint64, steps int) bool {
	for i := 1; i < len(keys); i++ {
		key, at := keys[i], i
		for ; at > 0 && keys[at-1] > key; at-- {
			keys[at] = keys[at-1]
		}
		keys[at] = key
		if steps -= i - at; steps < 0 {
			return false
		}
	}
	return true
}
