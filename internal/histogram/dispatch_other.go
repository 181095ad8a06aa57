//go:build !amd64 || purego

package histogram

// hasKernel reports whether this CPU and build have the assembly of tiles.
var hasKernel = false

func columnsOfRows(*float64, **float64, int, int, int) { panic("histogram: no columnsOfRows") }

func binColumn(*uint8, *uint32, *float64, *uint64, int, int) { panic("histogram: no binColumn") }

func rowsOfBytes(*uint64, *uint8) { panic("histogram: no rowsOfBytes") }
