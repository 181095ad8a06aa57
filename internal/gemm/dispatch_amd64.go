//go:build !purego

package gemm

import "golang.org/x/sys/cpu"

const (
	floatBytes  = 4
	vectorLanes = 8 // of AVX2
)

// kernels returns the kernels that the CPU and the operating system support, from slow to fast.
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

// sums computes a tile of this many rows, from the given row of A on, and kernel.columns columns:
//
//	dst[i*distance+j] (+)= alpha · Σ A[row+i, from+q]·packed[q*columns+j]
//
// where the sum over q in [0, depth) is a chain of fused products. It adds to dst if add is true.
func (p *product) sums(packed *panel, row, rows, from, depth int, dst []float32, distance int, add bool) {
	_ = p.a.values[p.a.at(row+rows-1, from+depth-1)]
	_ = dst[(rows-1)*distance+p.kernel.columns-1]
	_ = packed[depth*p.kernel.columns-1]
	a := &p.a.values[p.a.at(row, from)]
	perRow, perColumn := p.a.steps()
	strides := [3]int{perRow * floatBytes, perColumn * floatBytes, distance * floatBytes}
	if p.kernel.instructions == avx512 {
		tileAVX512(rows, depth, a, &strides, &packed[0], &dst[0], p.alpha, add)
	} else {
		tileAVX2(rows, depth, a, &strides, &packed[0], &dst[0], p.alpha, add)
	}
}
