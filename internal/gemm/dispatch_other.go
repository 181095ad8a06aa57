//go:build !amd64 || purego

package gemm

const (
	haveKernel  = false // gonum multiplies
	floatBytes  = 4
	vectorLanes = 8
)

func (p *product) kernel(*panel, int, int, int, int, []float32, int, bool) { panic("gemm: no kernel") }

func transpose8(*float32, *float32, int, int) { panic("gemm: no kernel") }

func adam8(*[9]float32, *float32, *float32, *float32, *float32, int) { panic("gemm: no kernel") }
