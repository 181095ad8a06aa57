package histogram

import (
	"math/bits"
	"slices"
)

// Field is where a row keeps the bin of a column: some bits of one of its bytes.
// Columns of few bins share a byte where that makes rows shorter: their sums are
// then made together, by joint bins, and taken apart once a leaf.
type Field struct {
	At    int32 // byte of the row
	Shift uint8 // bits of the byte below the field, 0 to 7
	Mask  uint8 // of the field's bits, once shifted
}

// Bin returns the bin that the byte at f.At holds.
func (f Field) Bin(b uint8) uint8 { return b >> (f.Shift & 7) & f.Mask }

// InPlace returns a bin as the byte at f.At holds it, other bits 0. Bins compare as
// they do in place.
func (f Field) InPlace(bin uint8) uint8 { return bin & f.Mask << (f.Shift & 7) }

// put writes a bin to a row.
func (f Field) put(row []uint8, bin uint8) {
	b := &row[f.At]
	*b = *b&^f.InPlace(255) | f.InPlace(bin)
}

// layout returns the fields of columns with so many bins each, and the bytes of a
// row. Every column has a byte of its own unless sharing saves a whole group:
// then those that need most bits come first, each in the first byte with room.
func layout(bins []int) (fields []Field, width int) {
	fields = make([]Field, len(bins))
	for c := range fields {
		fields[c] = Field{At: int32(c), Mask: 255}
	}
	order := make([]int, len(bins))
	for c := range order {
		order[c] = c
	}
	slices.SortStableFunc(order, func(a, b int) int { return fieldBits(bins[b]) - fieldBits(bins[a]) })
	shared := make([]Field, len(bins))
	var used []int // bits of each byte
	for _, c := range order {
		need := fieldBits(bins[c])
		at := slices.IndexFunc(used, func(n int) bool { return n+need <= 8 })
		if at < 0 {
			at, used = len(used), append(used, 0)
		}
		shared[c] = Field{At: int32(at), Shift: uint8(used[at]), Mask: uint8(1<<need - 1)}
		used[at] += need
	}
	if wholeGroups(len(used)) < wholeGroups(len(bins)) {
		return shared, wholeGroups(len(used))
	}
	return fields, wholeGroups(len(bins))
}

// fieldBits returns the bits that hold every number below bins.
func fieldBits(bins int) int { return max(1, bits.Len(uint(bins-1))) }

// wholeGroups returns the bytes of a row that needs so many, in whole groups.
func wholeGroups(width int) int { return (width + GroupSize - 1) / GroupSize * GroupSize }
