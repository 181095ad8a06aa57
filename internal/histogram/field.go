package histogram

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// Field locates the bin of a column within a row: in some bits of one of its bytes or, if the column
// has more than 256 bins, in two bytes.
//
// Columns with few bins share a byte if that makes rows shorter. Code that sums over rows can then sum by the
// values of the whole byte, which are joint bins of its columns, and divide the sums among the columns once
// for each leaf instead of once for each row.
type Field struct {
	At    int32 // byte of the row; the lower one of two
	Shift uint8 // number of bits of the byte below the field, 0 to 7
	Mask  uint8 // the bits of the field after the byte is shifted right by Shift
	Wide  bool  // the bin is the whole two bytes

	// Sparse means that the bin is not in the bytes of a row but in [SparseRows]. The other fields are those
	// of a column that has a whole byte, and At is 0.
	Sparse bool
}

// Of returns the bin in the bytes of a row. The field must not be sparse (see [Matrix.At]).
func (f Field) Of(row []uint8) uint16 {
	if f.Wide {
		return binary.LittleEndian.Uint16(row[f.At:])
	}
	return uint16(row[f.At] >> (f.Shift & 7) & f.Mask)
}

// wholeByte reports whether the bin is a byte of the row. The field must not be sparse.
func (f Field) wholeByte() bool { return f.Mask == 255 && !f.Wide }

// put writes a bin to a row, unless the field is sparse.
func (f Field) put(row []uint8, bin uint16) {
	if f.Sparse {
		return
	}
	if f.Wide {
		binary.LittleEndian.PutUint16(row[f.At:], bin)
		return
	}
	b := &row[f.At]
	*b = *b&^(f.Mask<<(f.Shift&7)) | uint8(bin)&f.Mask<<(f.Shift&7)
}

// mostInByte is the largest number of bins of a column that does not need two bytes.
const mostInByte = 1 << 8

// layout returns the fields of columns that have the given numbers of bins, and the number of bytes of a row.
// Wide columns come last, in their own groups. sparse marks the sparse columns; nil means none.
func layout(bins []int, sparse []bool) (fields []Field, width int) {
	fields = make([]Field, len(bins))
	var narrow, wide []int
	for c, n := range bins {
		if sparse != nil && sparse[c] {
			fields[c] = Field{Mask: 255, Sparse: true}
		} else if n > mostInByte {
			wide = append(wide, c)
		} else {
			narrow = append(narrow, c)
		}
	}
	width = layoutBytes(fields, narrow, bins)
	for _, c := range wide {
		fields[c] = Field{At: int32(width), Mask: 255, Wide: true}
		width += 2
	}
	return fields, wholeGroups(width)
}

// layoutBytes sets the fields of the given columns, and returns the number of bytes that they need. Every
// column has its own byte unless sharing saves a whole group. Then the columns that need most bits come
// first, and each takes the first byte with room for it.
func layoutBytes(fields []Field, columns, bins []int) (width int) {
	order := slices.Clone(columns)
	slices.SortStableFunc(order, func(a, b int) int { return fieldBits(bins[b]) - fieldBits(bins[a]) })
	var used []int   // bits of each byte
	var first [9]int // by number of bits that a column needs: the bytes before this one have no room for it
	for _, c := range order {
		need := fieldBits(bins[c])
		at := first[need]
		for at < len(used) && used[at]+need > 8 {
			at++
		}
		if first[need] = at; at == len(used) {
			used = append(used, 0)
		}
		fields[c] = Field{At: int32(at), Shift: uint8(used[at]), Mask: uint8(1<<need - 1)}
		used[at] += need
	}
	if wholeGroups(len(used)) < wholeGroups(len(columns)) {
		return wholeGroups(len(used))
	}
	for i, c := range columns {
		fields[c] = Field{At: int32(i), Mask: 255}
	}
	return wholeGroups(len(columns))
}

// fieldBits returns the number of bits that hold every number below bins.
func fieldBits(bins int) int { return max(1, bits.Len(uint(bins-1))) }

// wholeGroups returns the number of bytes of a row that needs at least the given number.
func wholeGroups(width int) int { return (width + GroupSize - 1) / GroupSize * GroupSize }
