package histogram

import (
	"math/bits"
	"slices"
)

// Field says where a row holds the bin of a column: in some bits of one of its bytes.
//
// Columns with few bins share a byte where that makes rows shorter. Sums over rows are then made by
// the values of the whole byte, which are joint bins of its columns, and are divided among the
// columns once for each leaf instead of once for each row.
type Field struct {
	At    int32 // byte of the row
	Shift uint8 // number of bits of the byte below the field, 0 to 7
	Mask  uint8 // the bits of the field, once shifted down
}

// Bin returns the bin in b, the byte f.At of a row.
func (f Field) Bin(b uint8) uint8 { return b >> (f.Shift & 7) & f.Mask }

// InPlace returns a bin in the bits that it has in the byte f.At; the other bits are 0. Bins in
// place have the order of bins, so that a loop over rows can compare bytes under the mask
// InPlace(255) without shifting each.
func (f Field) InPlace(bin uint8) uint8 { return bin & f.Mask << (f.Shift & 7) }

// put writes a bin to a row.
func (f Field) put(row []uint8, bin uint8) {
	b := &row[f.At]
	*b = *b&^f.InPlace(255) | f.InPlace(bin)
}

// layout returns the fields of columns that have the given numbers of bins, and the number of bytes
// of a row. Every column has a byte of its own unless sharing saves a whole group. If it does, the
// columns that need most bits come first, and each takes the first byte with room for it.
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
	var used []int   // bits of each byte
	var first [9]int // by the bits that a column needs: the bytes before have no room for it
	for _, c := range order {
		need := fieldBits(bins[c])
		at := first[need]
		for at < len(used) && used[at]+need > 8 {
			at++
		}
		if first[need] = at; at == len(used) {
			used = append(used, 0)
		}
		shared[c] = Field{At: int32(at), Shift: uint8(used[at]), Mask: uint8(1<<need - 1)}
		used[at] += need
	}
	if wholeGroups(len(used)) < wholeGroups(len(bins)) {
		return shared, wholeGroups(len(used))
	}
	return fields, wholeGroups(len(bins))
}

// fieldBits returns the number of bits that hold every number below bins.
func fieldBits(bins int) int { return max(1, bits.Len(uint(bins-1))) }

// wholeGroups returns the number of bytes of a row that needs at least the given number.
func wholeGroups(width int) int { return (width + GroupSize - 1) / GroupSize * GroupSize }
