//go:build !amd64 || purego

package binsum

func (x *Rows) build(dst *Tile, group int, rows []int32, values []int64) {
	x.buildInGo(dst, group, rows, values)
}

func move(dst, parent []int64, tile *[256]int64) { moveInGo(dst, parent, tile) }
