package histogram

import (
	"math"
	"math/bits"
	"slices"
)

const (
	digitBits = 11
	digits    = 3 // of a key, by which it is sorted; few different numbers of the same magnitude agree in all
	// radixFrom is the length from which radix sort is faster than sorting by comparison.
	radixFrom = 1 << 9
)

// sortValues sorts values in ascending order. None of them may be NaN. Many values are sorted by three digits
// of their order-preserving keys, the lowest digit first. The highest digit begins with the highest bit in
// which keys differ. Keys that differ only in bits below the digits are compared afterwards.
func (w *finder) sortValues(values []float64) {
	if len(values) < radixFrom {
		slices.Sort(values)
		return
	}
	w.keys, w.spare = slices.Grow(w.keys[:0], len(values)), slices.Grow(w.spare[:0], len(values))
	keys, spare := w.keys[:len(values)], w.spare[:len(values)]
	first, differing := orderedKey(values[0]), uint64(0)
	for i, v := range values {
		keys[i] = orderedKey(v)
		differing |= keys[i] ^ first
	}
	shift := max(0, bits.Len64(differing)-digits*digitBits)
	keys = radixSort(keys, spare, shift)
	for i := 1; i < len(keys); i++ {
		if keys[i] < keys[i-1] {
			slices.Sort(sameDigits(keys, i, shift))
		}
	}
	for i, k := range keys {
		values[i] = valueOfKey(k)
	}
}

// radixSort sorts keys by the bits of all digits, which begin at shift. It returns keys or spare.
func radixSort(keys, spare []uint64, shift int) []uint64 {
	var counts [digits][1 << digitBits]int32
	for _, k := range keys {
		k >>= shift & 63
		counts[0][k&(1<<digitBits-1)]++
		counts[1][k>>digitBits&(1<<digitBits-1)]++
		counts[2][k>>(2*digitBits)&(1<<digitBits-1)]++
	}
	for d := range counts {
		at := shift + d*digitBits
		if counts[d][digit(keys[0], at)] == int32(len(keys)) {
			continue
		}
		scatter(spare, keys, at, &counts[d])
		keys, spare = spare, keys
	}
	return keys
}

// sameDigits returns the keys around key i that have the same bits from shift on.
func sameDigits(keys []uint64, i, shift int) []uint64 {
	from, to := i, i+1
	for from > 0 && keys[from-1]>>shift == keys[i]>>shift {
		from--
	}
	for to < len(keys) && keys[to]>>shift == keys[i]>>shift {
		to++
	}
	return keys[from:to]
}

// digit returns the digit of a key that begins at a bit.
func digit(key uint64, at int) uint64 { return key >> (at & 63) & (1<<digitBits - 1) }

// scatter writes keys to dst in the order of the digit at a bit, and keeps the order of keys with equal
// digits. counts holds how often each digit occurs, and is overwritten.
func scatter(dst, keys []uint64, at int, counts *[1 << digitBits]int32) {
	next := int32(0)
	for i, n := range counts {
		counts[i] = next
		next += n
	}
	for _, k := range keys {
		place := &counts[digit(k, at)]
		dst[*place] = k
		*place++
	}
}

// valueOfKey is the inverse of orderedKey.
func valueOfKey(k uint64) float64 {
	return math.Float64frombits(k ^ (uint64(int64(^k)>>63) | 1<<63))
}
