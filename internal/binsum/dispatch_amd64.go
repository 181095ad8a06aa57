//go:build !purego

package binsum

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

var hasVectors, hasWideVectors = cpu.X86.HasAVX2, cpu.X86.HasAVX512F

// cutInWords says which rows go left. A word of four bytes has the bins of several rows: bin r is bin
// r&within of word r>>fold, and has 1<<width bits.
type cutInWords struct{ fold, within, width, bits, last, exception uint32 }

// inVectors partitions a part of the rows, and returns their number, and how many of them go left.
func (p *plane[T]) inVectors(rows, spare []int32, cut Cut) (done, left int) {
	const together = 16
	if done = len(rows) &^ (together - 1); !hasWideVectors || done == 0 {
		return 0, 0
	}
	c := cutInWords{fold: 2, within: 3, width: 3, bits: uint32(p.bits()), last: uint32(p.inPlace(cut.Last)),
		exception: NoBin}
	if unsafe.Sizeof(p.mask) == 2 {
		c.fold, c.within, c.width = 1, 1, 4
	}
	if cut.Exception != NoBin {
		c.exception = uint32(p.inPlace(uint16(cut.Exception)))
	}
	_ = spare[done-1]
	return done, partitionAVX512((*uint8)(unsafe.Pointer(&p.bins[0])), &rows[0], &spare[0], done, &c.fold)
}

// build is buildInGo in assembly: the compiler has too few registers for the bytes of a row.
func (b *Batch) build(tiles []Tile, part Part) {
	sums, bins, n := &tiles[0][0], &b.bins[b.place(0, part.First)], len(b.values)
	switch len(tiles) {
	case halfGroup:
		buildHalf(sums, bins, b.stride, &b.values[0], n)
	case groupSize:
		buildRows(sums, bins, b.stride, &b.values[0], n)
	case groupSize + halfGroup:
		buildDozen(sums, bins, b.stride, &b.values[0], n)
	}
}

// take is takeInGo in assembly, which waits for the memory of several rows at a time.
func (b *Batch) take(x *Rows, rows []int32, values []int64) int {
	bins := x.bins[b.first*groupSize:]
	return takeRows(&b.bins[0], b.stride, &bins[0], x.stride, &b.values[0], &values[0], &rows[0], len(rows))
}

// prefetch prefetches bytes [first, last] of the given rows.
func (x *Rows) prefetch(rows []int32, first, last int, values []int64) {
	prefetchRows(&x.bins[first], x.stride, last-first, &values[0], &rows[0], len(rows))
}

// move is moveInGo with vector instructions.
func move(dst, parent []int64, tile *Tile) {
	n := len(dst)
	if !hasVectors || n == 0 {
		moveInGo(dst, parent, tile)
		return
	}
	_, _ = parent[n-1], tile[n-1]
	moveAVX2(&dst[0], &parent[0], &tile[0], n)
}
