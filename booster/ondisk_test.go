package booster

import (
	"slices"
	"sync/atomic"
)

// onDisk makes the rows of data those of a file, of which pieces are copied that do not last, and returns the
// number of bytes that are read.
func onDisk(data []Data) *atomic.Int64 {
	read := new(atomic.Int64)
	for _, d := range data {
		d.Values.ReadBy(func(bytes []byte, unit int, use func(piece []byte)) {
			for piece := range slices.Chunk(bytes, 100*unit) {
				read.Add(int64(len(piece)))
				lent := slices.Clone(piece)
				use(lent)
				clear(lent)
			}
		})
	}
	return read
}
