//go:build !amd64 || purego

package table

// hasPlainCells reports whether this CPU and build have plainCells.
var hasPlainCells = false

func plainCells(*byte, *float64, int, byte) (count, end int) {
	panic("table: no plainCells")
}
