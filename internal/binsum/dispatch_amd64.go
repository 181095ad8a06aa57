//go:build !purego

package binsum

import "golang.org/x/sys/cpu"

var hasVectors = cpu.X86.HasAVX2

// build is buildInGo in assembly: the compiler has too few registers for the bytes of a row.
func (x *Rows) build(dst *Tile, group int, rows []int32, values []int64) {
	bins := x.bins[group*groupSize:]
	buildRows(&dst[0][0], &bins[0], x.stride, &rows[0], len(rows), &values[0])
}

// move is moveInGo with vector instructions.
func move(dst, parent []int64, tile *[256]int64) {
	n := len(dst)
	if !hasVectors || n == 0 {
		moveInGo(dst, parent, tile)
		return
	}
	_, _ = parent[n-1], tile[n-1]
	moveAVX2(&dst[0], &parent[0], &tile[0], n)
}
