//go:build !purego

package binsum

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

var hasVectors, hasWideVectors = cpu.X86.HasAVX2 && cpu.X86.HasPOPCNT, cpu.X86.HasAVX512F

// cutInWords says which rows go left. A word of four bytes has the bins of several rows: bin r is bin
// r&within of word r>>fold, and has 1<<width bits.
type cutInWords struct{ fold, within, width, bits, last, exception uint32 }

// cutInBytes says which rows go left. A row has a byte for its bin, and excepts is 255 if there is an
// exception, or 0.
type cutInBytes struct{ bits, last, exception, excepts uint8 }

// inVectors partitions a part of the rows, and returns their number, and how many of them go left.
func (p *plane[T]) inVectors(rows, spare []int32, cut Cut) (done, left int) {
	switch {
	case hasWideVectors:
		return p.inWideVectors(rows, spare, cut)
	case hasVectors && unsafe.Sizeof(p.mask) == 1:
		return p.inBytes(rows, spare, cut)
	}
	return 0, 0
}

// inWideVectors is inVectors with AVX-512.
func (p *plane[T]) inWideVectors(rows, spare []int32, cut Cut) (done, left int) {
	const together = 16
	if done = len(rows) &^ (together - 1); done == 0 {
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

// inBytes is inVectors with AVX2, for bins of a byte.
func (p *plane[T]) inBytes(rows, spare []int32, cut Cut) (done, left int) {
	const together = 8
	if done = len(rows) &^ (together - 1); done == 0 {
		return 0, 0
	}
	c := cutInBytes{bits: uint8(p.bits()), last: uint8(p.inPlace(cut.Last))}
	if cut.Exception != NoBin {
		c.exception, c.excepts = uint8(p.inPlace(uint16(cut.Exception))), 0xff
	}
	_ = spare[done-1]
	return done, partitionAVX2((*uint8)(unsafe.Pointer(&p.bins[0])), &rows[0], &spare[0], done, &c.bits,
		&places[0])
}

// places are, for each byte, the numbers of its bits, a byte each: first of those that are set.
var places = func() (all [256]uint64) {
	for mask := range all {
		next := 0
		for _, set := range [...]int{1, 0} {
			for bit := range 8 {
				if mask>>bit&1 == set {
					all[mask] |= uint64(bit) << (8 * next)
					next++
				}
			}
		}
	}
	return all
}()

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

// take is takeInGo in assembly, which asks for the memory of rows before it needs them.
func (b *Batch) take(x *Rows, rows []int32, values []int64) int {
	if !hasVectors || len(rows) == 0 {
		return b.takeInGo(x, rows, values)
	}
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
