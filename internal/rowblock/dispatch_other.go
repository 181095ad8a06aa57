//go:build !amd64 || purego

package rowblock

// HasKernel reports whether this CPU and build have a kernel.
const HasKernel = false

// HasClusters reports whether this CPU and build have a kernel for [Walks.Step].
var HasClusters = false

var has512 = false

// The functions below are never called, because there is no kernel.

func maps32(*uint64, int, *float32, float32, *float32, int) { panic("rowblock: no kernel") }

func maps64(*uint64, int, *float64, float64, *float64, int) { panic("rowblock: no kernel") }

func leaves256(*uint64, *uint64, *uint64, *uint32, int) { panic("rowblock: no kernel") }

func columns32(*float32, *float32, int, int) { panic("rowblock: no kernel") }

func columns64(*float64, *float64, int, int) { panic("rowblock: no kernel") }

func infinite32(*float32, int) bool { panic("rowblock: no kernel") }

func infinite64(*float64, int) bool { panic("rowblock: no kernel") }

func stepClusters(*uint8, *uint8, *uint32, *uint32, *uint32, *uint32, int) {
	panic("rowblock: no kernel")
}

func keepOpen(*uint32, *uint32, *uint32, int) int { panic("rowblock: no kernel") }
