package histogram

import (
	"math"
	"slices"
)

const (
	digitBits = 11
	digits    = (64 + digitBits - 1) / digitBits
	// radixFrom is the length from which radix sort is faster than sorting by comparison.
	radixFrom = 1 << 9
)

// sortValues sorts values in ascending order. None of them may be NaN. Many values are sorted by the digits
// of their order-preserving keys, the lowest digit first. Digits that are equal in all keys, such as the low
// bits of short decimals, are skipped.
func (w *finder) sortValues(values []float64) {
	if len(values) < radixFrom {
		slices.Sort(values)
		return
	}
	w.keys, w.spare = slices.Grow(w.keys[:0], len(values)), slices.Grow(w.spare[:0], len(values))
	keys, spare := w.keys[:len(values)], w.spare[:len(values)]
	var counts [digits][1 << digitBits]int32
	for i, v := range values {
		keys[i] = orderedKey(v)
		for d := range counts {
			counts[d][digit(keys[i], d)]++
		}
	}
	for d := range counts {
		if counts[d][digit(keys[0], d)] == int32(len(keys)) {
			continue
		}
		scatter(spare, keys, d, &counts[d])
		keys, spare = spare, keys
	}
	for i, k := range keys {
		values[i] = valueOfKey(k)
	}
}

// digit returns digit d of a key.
func digit(key uint64, d int) uint64 { return key >> (d * digitBits) & (1<<digitBits - 1) }

// scatter writes keys to dst in the order of digit d, and keeps the order of keys with equal digits. counts
// holds how often each digit occurs, and is overwritten.
func scatter(dst, keys []uint64, d int, counts *[1 << digitBits]int32) {
	at := int32(0)
	for i, n := range counts {
		counts[i] = at
		at += n
	}
	for _, k := range keys {
		next := &counts[digit(k, d)]
		dst[*next] = k
		*next++
	}
}

// valueOfKey is the inverse of orderedKey.
func valueOfKey(k uint64) float64 {
	return math.Float64frombits(k ^ (uint64(int64(^k)>>63) | 1<<63))
}
