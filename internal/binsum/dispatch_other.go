//go:build !amd64 || purego

package binsum

func (b *Batch) build(dst *Tile, group int) { b.buildInGo(dst, group) }

func (b *Batch) take(x *Rows, rows []int32, values []int64) int { return b.takeInGo(x, rows, values) }

// prefetch does nothing: it would only save time.
func (x *Rows) prefetch(rows []int32, first, last int, values []int64) {}

func move(dst, parent []int64, tile *[256]int64) { moveInGo(dst, parent, tile) }
