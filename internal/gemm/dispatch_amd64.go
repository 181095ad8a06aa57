//go:build !purego

package gemm

import "golang.org/x/sys/cpu"

const (
	floatBytes  = 4
	vectorLanes = 8 // of AVX2
)

// kernels lists those that the CPU and the operating system allow, slow to fast.
func kernels() []kernel {
	all := []kernel{{}}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		all = append(all, kernel{avx2, 6, 16})
		if cpu.X86.HasAVX512F {
			all = append(all, kernel{avx512, 12, 32})
		}
	}
	return all
}

// sums finds a tile of kernel.columns columns, and rows that begin at a row of A:
//
//	dst[i*distance+j] (+)= alpha · Σ A[row+i, from+q]·packed[q*columns+j]
//
// over q in [0, depth), each a chain of fused products.
func (p *product) sums(packed *panel, row, rows, from, depth int, dst []float32, distance int, add bool) {
	_ = p.a.values[p.a.at(row+rows-1, from+depth-1)]
	_ = dst[(rows-1)*distance+p.kernel.columns-1]
	_ = packed[depth*p.kernel.columns-1]
	a := &p.a.values[p.a.at(row, from)]
	perRow, perColumn := p.a.steps()
	aRow, aStep, cRow := perRow*floatBytes, perColumn*floatBytes, distance*floatBytes
	if p.kernel.instructions == avx512 {
		tileAVX512(rows, depth, a, aRow, aStep, &packed[0], &dst[0], cRow, p.alpha, add)
	} else {
		tileAVX2(rows, depth, a, aRow, aStep, &packed[0], &dst[0], cRow, p.alpha, add)
	}
}
