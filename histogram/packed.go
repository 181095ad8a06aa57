package histogram

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// The packed form of a row's values, which takes some three bytes a value where
// data is what ranking data mostly is: small integers, and numbers of at most six
// decimals. Every value comes back as it was, bit for bit; only zeros are left out.
//
// Of each value there are
//
//	1 byte: width - 1 in the bits 0 to 2, thousandths in bit 3, gap in the bits 4 to 7
//	the gap as a uvarint, if those bits say 15
//	width bytes, little-endian
//
// The gap is the number of features between this one and the one before. The bytes
// are an integer n, of which 2n or -2n-1 is stored, and the value is n, or n / 10^6
// if bit 3 is set. A value that is neither has 8 bytes and is a float64.
const (
	packedFloat   = 7      // a float64: its width - 1
	packedMillion = 1 << 3 // the value is n / 10^6
	packedGap     = 4      // place of the gap
	longGap       = 15     // a gap that follows

	// mostPacked is what a value takes at most, and packedPadding what may be read
	// behind the last one.
	mostPacked    = 1 + binary.MaxVarintLen32 + 8
	packedPadding = 8
)

// packValues appends the values that are not zero to dst. Features ascend.
func packValues(dst []byte, features []int32, values []float64) []byte {
	at := len(dst)
	dst = slices.Grow(dst, len(values)*mostPacked+packedPadding)
	dst = dst[:cap(dst)]
	expected := int32(0)
	for i, v := range values {
		if v == 0 {
			continue
		}
		gap := features[i] - expected
		expected = features[i] + 1
		kind, stored := packValue(v)
		dst[at] = kind | byte(min(gap, longGap))<<packedGap
		at++
		if gap >= longGap {
			at += binary.PutUvarint(dst[at:], uint64(gap))
		}
		binary.LittleEndian.PutUint64(dst[at:], stored)
		at += int(kind&7) + 1
	}
	return dst[:at]
}

// packValue returns the low four bits of a value's first byte, and its other bytes.
// Integers that would need eight bytes are left to float64.
func packValue(v float64) (kind byte, stored uint64) {
	n := int64(v) // any number, if v is not one of its range: the comparison tells
	if float64(n) != v {
		n = int64(float64(v*1e6) + math.Copysign(0.5, v))
		kind = packedMillion
		if float64(n)/1e6 != v {
			return packedFloat, math.Float64bits(v)
		}
	}
	stored = uint64(n<<1 ^ n>>63)
	last := (bits.Len64(stored) - 1) / 8
	if last >= packedFloat {
		return packedFloat, math.Float64bits(v)
	}
	return kind | byte(last), stored
}

// unpacked are the values of a packed row. It is filled again and again.
type unpacked struct {
	feature []int32
	value   []float64
}

// unpack reads packed values. There are packedPadding bytes of capacity behind them.
func (u *unpacked) unpack(packed []byte) {
	most := len(packed)/2 + 1 // a value takes two bytes at least
	if cap(u.value) < most {
		u.feature, u.value = make([]int32, most), make([]float64, most)
	}
	feature, value := u.feature[:most], u.value[:most]
	next, count := int32(0), 0
	b := packed[:len(packed)+packedPadding]
	for at := 0; at < len(packed); count++ {
		first := b[at]
		at++
		gap := int32(first >> packedGap)
		if gap == longGap {
			long, n := binary.Uvarint(b[at:])
			gap = int32(long)
			at += n
		}
		next += gap
		feature[count] = next
		next++
		value[count] = unpackValue(first, binary.LittleEndian.Uint64(b[at:]))
		at += int(first&7) + 1
	}
	u.feature, u.value = feature[:count], value[:count]
}

// countFeatures counts the values of each feature in packed values.
func countFeatures(counts []int, packed []byte) {
	next := int32(0)
	for at := 0; at < len(packed); {
		first := packed[at]
		at++
		gap := int32(first >> packedGap)
		if gap == longGap {
			long, n := binary.Uvarint(packed[at:])
			gap = int32(long)
			at += n
		}
		next += gap
		counts[next]++
		next++
		at += int(first&7) + 1
	}
}

// unpackValue is the inverse of packValue. Of the loaded bytes those beyond the
// width belong to what follows.
func unpackValue(kind byte, loaded uint64) float64 {
	stored := loaded << (56 - 8*(kind&7)) >> (56 - 8*(kind&7))
	if kind&(packedFloat|packedMillion) == packedFloat {
		return math.Float64frombits(stored)
	}
	return float64(int64(stored>>1)^-int64(stored&1)) / divisors[kind&packedMillion]
}

var divisors = [packedMillion + 1]float64{0: 1, packedMillion: 1e6}
