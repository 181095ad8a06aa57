//go:build !amd64 || purego

package table

// hasAssembly reports whether this CPU and build have plainCells.
var hasAssembly = false

func plainCells(*byte, *float64, int, byte) (count, end int) {
	panic("table: no plainCells")
}
