package gemm

// kernel is an implementation of the sums of a tile. All kernels with instructions give the same bits.
type kernel struct {
	instructions  instructions
	rows, columns int // of a tile, at most; rows ≤ maxRows, columns ≤ maxColumns
}

type instructions int

const (
	none instructions = iota // left to gonum
	avx2                     // and FMA
	avx512
)

// best is the fastest kernel of this CPU and build.
var best = kernels()[len(kernels())-1]
