//go:build !amd64 || purego

package gemm

const (
	floatBytes  = 4
	vectorLanes = 8
)

// kernels returns the kernels of this build: only the one without instructions, which leaves the work
// to gonum.
func kernels() []kernel { return []kernel{{}} }

func (p *product) sums(*panel, int, int, int, int, []float32, int, bool) { panic("gemm: no kernel") }

func transpose8(*float32, int, *float32, int, int) { panic("gemm: no kernel") }

func adam8(*[9]float32, *float32, *float32, *float32, *float32, int) { panic("gemm: no kernel") }
