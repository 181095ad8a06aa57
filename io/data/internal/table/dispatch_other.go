//go:build !amd64 || purego

package table

// hasAssembly reports whether this CPU and build have plainCells and transposeEights.
var hasAssembly = false

func plainCells(*byte, *float64, int, byte) (count, end int) {
	panic("table: no plainCells")
}

func transposeEights(*float64, int, *[8]*float64, int) {
	panic("table: no transposeEights")
}
