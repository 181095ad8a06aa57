package gemm

// kernel is a way to find the sums of a tile; all ways give the same bits.
type kernel struct {
	instructions  instructions
	rows, columns int // of a tile, at most; rows ≤ maxRows, columns ≤ maxColumns
}

type instructions int

const (
	none instructions = iota // gonum multiplies
	avx2                     // and FMA
	avx512
)

// best is the fastest kernel of this CPU and build.
var best = kernels()[len(kernels())-1]
