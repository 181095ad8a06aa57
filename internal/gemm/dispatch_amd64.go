//go:build amd64 && !purego

package gemm

import "golang.org/x/sys/cpu"

const (
	floatBytes  = 4
	vectorLanes = 8
)

// haveKernel tells that the CPU and the operating system allow AVX2 and FMA.
var haveKernel = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// kernel finds rows×tileColumns sums of the tile that begins at a row of A:
//
//	dst[i*distance+j] (+)= alpha · Σ A[row+i, from+q]·packed[q*tileColumns+j]
//
// over q in [0, depth), each a chain of fused products.
func (p *product) kernel(packed *panel, row, rows, from, depth int, dst []float32, distance int, add bool) {
	_ = p.a.values[p.a.at(row+rows-1, from+depth-1)]
	_ = dst[(rows-1)*distance+tileColumns-1]
	_ = packed[depth*tileColumns-1]
	a := &p.a.values[p.a.at(row, from)]
	perRow, perColumn := p.a.steps()
	aRow, aStep, cRow := perRow*floatBytes, perColumn*floatBytes, distance*floatBytes
	b, c := &packed[0], &dst[0]
	switch rows {
	case 6:
		tile6(depth, a, aRow, aStep, b, c, cRow, p.alpha, add)
	case 5:
		tile5(depth, a, aRow, aStep, b, c, cRow, p.alpha, add)
	case 4:
		tile4(depth, a, aRow, aStep, b, c, cRow, p.alpha, add)
	case 3:
		tile3(depth, a, aRow, aStep, b, c, cRow, p.alpha, add)
	case 2:
		tile2(depth, a, aRow, aStep, b, c, cRow, p.alpha, add)
	default:
		tile1(depth, a, aRow, aStep, b, c, cRow, p.alpha, add)
	}
}
