//go:build !purego

package binsum

import "golang.org/x/sys/cpu"

var hasVectors = cpu.X86.HasAVX2

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
