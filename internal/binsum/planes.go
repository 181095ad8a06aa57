package binsum

import (
	"encoding/binary"

	"github.com/lambdamart/lambdamart/internal/par"
)

// Transpose makes the planes of x, unless it has them.
func (x *Rows) Transpose(pool *par.Pool) {
	x.transposeSparse(pool)
	if x.planes != nil || x.wide != nil {
		return
	}
	x.planes = resizePlanes[uint8](nil, x.rows, 0, x.narrow, groupSize, x.narrowUsed)
	x.wide = resizePlanes[uint16](nil, x.rows, 0, x.numWide(), wideColumns, x.wideUsed)
	pool.Blocks(x.rows, gatherBlock, func(_, from, to int) { x.transpose(from, to) })
}

// numWide returns the number of planes of two bytes.
func (x *Rows) numWide() int { return (x.stride - x.narrow) / 2 }

// narrowUsed and wideUsed report whether a plane has columns. The last bytes of the last groups may have
// none.
func (x *Rows) narrowUsed(plane int) bool { return len(x.within[plane]) > 0 }
func (x *Rows) wideUsed(plane int) bool   { return len(x.within[x.narrow+2*plane]) > 0 }

// resizePlanes returns this many planes for rows, with unspecified content. It reuses the memory of p if it
// is large enough; new memory has room for more additional rows. Planes that are not used, which are written
// but never read, lie in the memory of the first plane of their group, which is written after them.
func resizePlanes[T uint8 | uint16](p [][]T, rows, more, planes, group int, used func(plane int) bool) [][]T {
	if len(p) != planes || planes > 0 && cap(p[0]) < rows {
		room := (rows + more + cacheLine - 1) / cacheLine * cacheLine
		n := 0
		for b := range planes {
			if used(b) {
				n++
			}
		}
		all := make([]T, n*room)
		p = make([][]T, planes)
		for b := range p {
			if !used(b) {
				p[b] = p[b/group*group]
				continue
			}
			p[b], all = all[:0:room], all[room:]
		}
	}
	for b := range p {
		p[b] = p[b][:rows]
	}
	return p
}

// transposeRows is the number of rows whose bytes of one group are written to their planes before
// the bytes of the next group: they fill a cache line of each plane.
const transposeRows = 64

// transpose writes the bytes of rows [from, to) to their planes.
func (x *Rows) transpose(from, to int) {
	for ; from < to; from += transposeRows {
		end := min(to, from+transposeRows)
		for first := 0; first < x.narrow; first += groupSize {
			x.transposeGroup((*[groupSize][]uint8)(x.planes[first:]), first, from, end)
		}
		for first := x.narrow; first < x.stride; first += groupSize {
			x.transposeWide(first, from, end)
		}
	}
}

// transposeGroup writes groupSize bytes, from byte first on, of rows [from, to) to their planes, to the first
// plane last (see resizePlanes).
func (x *Rows) transposeGroup(planes *[groupSize][]uint8, first, from, to int) {
	row := from
	for ; row+groupSize <= to; row += groupSize {
		x.transposeSquare(planes, first, row)
	}
	for ; row < to; row++ {
		for b := groupSize - 1; b >= 0; b-- {
			planes[b][row] = x.bins[row*x.stride+first+b]
		}
	}
}

// transposeSquare is like transposeGroup, for groupSize rows. It exchanges the halves of their words,
// then quarters, then eighths (Warren, Hacker's Delight, 2nd ed., §7-3, with bytes for bits).
func (x *Rows) transposeSquare(planes *[groupSize][]uint8, first, row int) {
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
	putWord(planes[7], row, r7)
	putWord(planes[6], row, r6)
	putWord(planes[5], row, r5)
	putWord(planes[4], row, r4)
	putWord(planes[3], row, r3)
	putWord(planes[2], row, r2)
	putWord(planes[1], row, r1)
	putWord(planes[0], row, r0)
}

// swap exchanges the bits of a that lie n bits above those of the mask with the bits of b under
// the mask.
func swap(a, b uint64, n int, mask uint64) (uint64, uint64) {
	t := (a>>n ^ b) & mask
	return a ^ t<<n, b ^ t
}

// word returns the 8 bytes from at on.
func word(b []uint8, at int) uint64 {
	return binary.LittleEndian.Uint64(b[at : at+groupSize : at+groupSize])
}

// putWord writes 8 bytes from at on.
func putWord(b []uint8, at int, v uint64) {
	binary.LittleEndian.PutUint64(b[at:at+groupSize:at+groupSize], v)
}
