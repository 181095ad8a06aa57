package histogram

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// packedValues are a row's values in some three bytes each where data is what ranking
// data mostly is: small integers, and numbers of at most six decimals. Every value
// comes back as it was, bit for bit; only zeros are left out.
//
// Of each value there are
//
//	in kinds: width - 1 in the bits 0 to 2, millionths in bit 3, gap in the bits 4 to 7
//	in bytes: the gap as a uvarint, if those bits say 15; width bytes, little-endian
//
// The gap is the number of features between this one and the one before. The bytes
// are an integer n, of which 2n or -2n-1 is stored, and the value is n, or n / 10^6
// if bit 3 is set. A value that is neither has 8 bytes and is a float64.
//
// Kinds lie apart so that the next one need not wait for the width of this one.
type packedValues struct {
	kinds []byte
	bytes []byte // and packedPadding more of capacity, which may be read
}

const (
	packedFloat   = 7      // a float64: its width - 1
	packedMillion = 1 << 3 // the value is n / 10^6
	packedGap     = 4      // place of the gap
	longGap       = 15     // a gap that follows

	mostPacked    = binary.MaxVarintLen32 + 8 // bytes of a value
	packedPadding = 8
)

// pack fills p with the values that are not zero. Features ascend.
func (p *packedValues) pack(features []int32, values []float64) {
	kinds := slices.Grow(p.kinds[:0], len(values))[:len(values)]
	bytes := slices.Grow(p.bytes[:0], len(values)*mostPacked+packedPadding)
	bytes = bytes[:cap(bytes)]
	count, at := 0, 0
	expected := int32(0)
	for i, v := range values {
		if v == 0 {
			continue
		}
		gap := features[i] - expected
		expected = features[i] + 1
		kind, stored := packValue(v)
		kinds[count] = kind | byte(min(gap, longGap))<<packedGap
		count++
		if gap >= longGap {
			at += binary.PutUvarint(bytes[at:], uint64(gap))
		}
		binary.LittleEndian.PutUint64(bytes[at:], stored)
		at += int(kind&7) + 1
	}
	p.kinds, p.bytes = kinds[:count], bytes[:at]
}

// packValue returns a value's kind, without the gap, and its bytes.
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

func (u *unpacked) unpack(p packedValues) {
	if cap(u.value) < len(p.kinds) {
		u.feature, u.value = make([]int32, len(p.kinds)), make([]float64, len(p.kinds))
	}
	feature, value := u.feature[:len(p.kinds)], u.value[:len(p.kinds)]
	rest := p.bytes[:len(p.bytes)+packedPadding]
	next := int32(0)
	for i, kind := range p.kinds {
		gap := int32(kind >> packedGap)
		if gap == longGap {
			gap, rest = readGap(rest)
		}
		feature[i] = next + gap
		next += gap + 1
		value[i] = unpackValue(kind, binary.LittleEndian.Uint64(rest))
		rest = rest[kind&7+1:]
	}
	u.feature, u.value = feature, value
}

func readGap(bytes []byte) (gap int32, rest []byte) {
	long, n := binary.Uvarint(bytes)
	return int32(long), bytes[n:]
}

// countFeatures counts the values of each feature.
func (p packedValues) countFeatures(counts []int) {
	rest := p.bytes
	next := int32(0)
	for _, kind := range p.kinds {
		gap := int32(kind >> packedGap)
		if gap == longGap {
			gap, rest = readGap(rest)
		}
		counts[next+gap]++
		next += gap + 1
		rest = rest[kind&7+1:]
	}
}

// unpackValue is the inverse of packValue. The gap does not matter, and of the loaded
// bytes those beyond the width do not.
func unpackValue(kind byte, loaded uint64) float64 {
	others := (7 - kind&7) * 8 & 63 // bits of what follows
	stored := loaded << others >> others
	if kind&(packedFloat|packedMillion) == packedFloat {
		return math.Float64frombits(stored)
	}
	return float64(int64(stored>>1)^-int64(stored&1)) / divisors[kind&packedMillion]
}

var divisors = [packedMillion + 1]float64{0: 1, packedMillion: 1e6}
