//go:build !amd64 || purego

package binsum

func (b *Batch) build(tiles []Tile, part Part) { b.buildInGo(tiles, part) }

func (b *Batch) take(x *Rows, rows []int32, values []int64) int { return b.takeInGo(x, rows, values) }

// prefetch does nothing: it would only save time.
func (x *Rows) prefetch(rows []int32, first, last int, values []int64) {}

// inVectors does nothing.
func (p *plane[T]) inVectors(rows, spare []int32, cut Cut) (done, left int) { return 0, 0 }

func move(dst, parent []int64, tile *Tile) { moveInGo(dst, parent, tile) }
