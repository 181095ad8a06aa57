package histogram

import (
	"encoding/binary"

	"github.com/lambdamart/lambdamart/internal/par"
)

// Planes holds the bytes of rows byte after byte: element b of it is byte b of
// every row. Who looks at one column of many rows reads a byte of each cache line
// of a [Matrix], and all of them here.
type Planes [][]uint8

// resize returns planes for so many rows of stride bytes, of unknown content. It
// reuses the memory of p where that is enough, and else leaves room for some more rows.
func (p Planes) resize(rows, more, stride int) Planes {
	if len(p) != stride || stride > 0 && cap(p[0]) < rows {
		room := (rows + more + cacheLine - 1) / cacheLine * cacheLine
		all := make([]uint8, room*stride)
		p = make(Planes, stride)
		for b := range p {
			p[b] = all[b*room : b*room : (b+1)*room]
		}
	}
	for b := range p {
		p[b] = p[b][:rows]
	}
	return p
}

// Transpose returns the rows' bytes as planes.
func (x *Matrix) Transpose(pool *par.Pool) Planes {
	dst := Planes(nil).resize(x.rows, 0, x.stride)
	pool.Blocks(x.rows, gatherBlock, func(_, from, to int) { x.transpose(dst, from, to) })
	return dst
}

// transposeRows is the number of rows of which a group's bytes are written to their
// planes before the next group's: a cache line of each plane.
const transposeRows = 64

// transpose writes the bytes of rows [from, to) to dst.
func (x *Matrix) transpose(dst Planes, from, to int) {
	for ; from < to; from += transposeRows {
		for group := 0; group < x.stride; group += GroupSize {
			x.transposeGroup((*[GroupSize][]uint8)(dst[group:]), group, from, min(to, from+transposeRows))
		}
	}
}

// transposeGroup writes GroupSize bytes, from byte first on, of rows [from, to) to
// their planes.
func (x *Matrix) transposeGroup(planes *[GroupSize][]uint8, first, from, to int) {
	row := from
	for ; row+GroupSize <= to; row += GroupSize {
		x.transposeSquare(planes, first, row)
	}
	for ; row < to; row++ {
		for b := range planes {
			planes[b][row] = x.bins[row*x.stride+first+b]
		}
	}
}

// transposeSquare is transposeGroup for GroupSize rows: first halves, then quarters
// and eighths of their words change places (Warren, Hacker's Delight, 2nd ed., §7-3,
// with bytes for bits).
func (x *Matrix) transposeSquare(planes *[GroupSize][]uint8, first, row int) {
	at, stride := row*x.stride+first, x.stride
	r0 := word(x.bins, at)
	r1 := word(x.bins, at+stride)
	r2 := word(x.bins, at+2*stride)
	r3 := word(x.bins, at+3*stride)
	r4 := word(x.bins, at+4*stride)
	r5 := word(x.bins, at+5*stride)
	r6 := word(x.bins, at+6*stride)
	r7 := word(x.bins, at+7*stride)
	const half, quarter, eighth = 0x00000000ffffffff, 0x0000ffff0000ffff, 0x00ff00ff00ff00ff
	r0, r4 = swap(r0, r4, 32, half)
	r1, r5 = swap(r1, r5, 32, half)
	r2, r6 = swap(r2, r6, 32, half)
	r3, r7 = swap(r3, r7, 32, half)
	r0, r2 = swap(r0, r2, 16, quarter)
	r1, r3 = swap(r1, r3, 16, quarter)
	r4, r6 = swap(r4, r6, 16, quarter)
	r5, r7 = swap(r5, r7, 16, quarter)
	r0, r1 = swap(r0, r1, 8, eighth)
	r2, r3 = swap(r2, r3, 8, eighth)
	r4, r5 = swap(r4, r5, 8, eighth)
	r6, r7 = swap(r6, r7, 8, eighth)
	putWord(planes[0], row, r0)
	putWord(planes[1], row, r1)
	putWord(planes[2], row, r2)
	putWord(planes[3], row, r3)
	putWord(planes[4], row, r4)
	putWord(planes[5], row, r5)
	putWord(planes[6], row, r6)
	putWord(planes[7], row, r7)
}

// swap exchanges the bits of a that are n above the mask's with the bits of b
// under the mask.
func swap(a, b uint64, n int, mask uint64) (uint64, uint64) {
	t := (a>>n ^ b) & mask
	return a ^ t<<n, b ^ t
}

// word returns the 8 bytes from at on.
func word(b []uint8, at int) uint64 {
	return binary.LittleEndian.Uint64(b[at : at+GroupSize : at+GroupSize])
}

// putWord writes 8 bytes from at on.
func putWord(b []uint8, at int, v uint64) {
	binary.LittleEndian.PutUint64(b[at:at+GroupSize:at+GroupSize], v)
}
