package histogram

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
)

// packedValues hold the values of a row in about three bytes each if they are small integers or numbers with
// at most six decimals, as most values of ranking data are. Values are restored bit for bit; only zeros are
// left out.
//
// Each value has one byte in kinds and some in bytes:
//
//	kinds   bits 0 to 2   width - 1
//	        bit  3        the value is in millionths
//	        bits 4 to 7   gap, or 15 if it is 15 or more
//	bytes   the gap as a uvarint, if the bits of kinds say 15
//	        width bytes, little-endian
//
// The gap is the number of features between this value and the value before. The width bytes are an integer
// n, stored as 2n if n is not negative and otherwise as -2n-1; the value is n, or n / 10^6 if bit 3 is set.
// Any other value is stored as a float64 in 8 bytes.
//
// Kinds are stored separately from bytes, which lets the processor decode the next kind before it knows the
// width of this one.
type packedValues struct {
	kinds []byte
	bytes []byte // followed by packedPadding bytes of capacity, which may be read
}

const (
	packedFloat   = 7      // width - 1 of a float64
	packedMillion = 1 << 3 // the value is n / 10^6
	packedGap     = 4      // first bit of the gap
	longGap       = 15     // the gap is in bytes

	mostPacked    = binary.MaxVarintLen32 + 8 // largest number of bytes of a value
	packedPadding = 8                         // bytes that may be read behind the last value
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

// packValue returns a value's kind, without the gap, and its bytes. Integers that would need eight
// bytes are stored as float64.
func packValue(v float64) (kind byte, stored uint64) {
	n := int64(v) // unspecified if v is out of range, which the comparison finds
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

// unpacked holds the values of one packed row after another.
type unpacked struct {
	feature []int32
	value   []float64
}

// unpack fills u with the values of p.
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

// countFeatures adds 1 to the count of each feature that has a value. Its loop stands in unpack and in spread
// too: a function for a step, which the compiler does not inline, takes 5 % of the time of reading text.
func (p packedValues) countFeatures(counts []int) {
	rest := p.bytes[:len(p.bytes)+packedPadding]
	feature := 0
	for _, kind := range p.kinds {
		gap := int32(kind >> packedGap)
		if gap == longGap {
			gap, rest = readGap(rest)
		}
		feature += int(gap)
		counts[feature]++
		feature++
		rest = rest[kind&7+1:]
	}
}

// unpackedTile are unpacked rows with all values, zeros too.
type unpackedTile struct {
	rows    []dataset.Row
	feature []int32   // of each row: all
	value   []float64 // of mostAlike rows
}

// add unpacks the values of the given number of features of another row.
func (t *unpackedTile) add(row int, p packedValues, features int) {
	if t.feature == nil {
		t.feature, t.value = make([]int32, features), make([]float64, features*mostAlike)
		for i := range t.feature {
			t.feature[i] = int32(i)
		}
	}
	value := t.value[len(t.rows)*features:][:features]
	clear(value)
	p.spread(value)
	t.rows = append(t.rows, dataset.Row{Number: row, Feature: t.feature, Value: value})
}

// take removes the rows and returns them. They are valid until the next add.
func (t *unpackedTile) take() []dataset.Row {
	rows := t.rows
	t.rows = rows[:0]
	return rows
}

// spread sets values[f] for each feature f that has a value.
func (p packedValues) spread(values []float64) {
	rest := p.bytes[:len(p.bytes)+packedPadding]
	feature := 0
	for _, kind := range p.kinds {
		gap := int32(kind >> packedGap)
		if gap == longGap {
			gap, rest = readGap(rest)
		}
		feature += int(gap)
		if feature < len(values) {
			values[feature] = unpackValue(kind, binary.LittleEndian.Uint64(rest))
		}
		feature++
		rest = rest[kind&7+1:]
	}
}

// readGap reads a gap that the kind has no room for, and returns the bytes after it.
func readGap(bytes []byte) (gap int32, rest []byte) {
	long, n := binary.Uvarint(bytes)
	return int32(long), bytes[n:]
}

// unpackValue is the inverse of packValue. It ignores the gap, and the loaded bytes beyond the width.
func unpackValue(kind byte, loaded uint64) float64 {
	others := (7 - kind&7) * 8 & 63 // number of bits beyond the width
	stored := loaded << others >> others
	if kind&(packedFloat|packedMillion) == packedFloat {
		return math.Float64frombits(stored)
	}
	return float64(int64(stored>>1)^-int64(stored&1)) / divisors[kind&packedMillion]
}

// divisors are those of integers, by bit 3 of their kind.
var divisors = [packedMillion + 1]float64{0: 1, packedMillion: 1e6}
