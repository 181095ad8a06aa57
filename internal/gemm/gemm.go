// Package gemm multiplies matrices of float32 values as the method Sgemm of gonum's blas.Float32
// does. It uses AVX-512 or AVX2 and FMA instructions where the CPU has them, and gonum itself
// elsewhere or with the build tag purego. It also has the only other part of training a network
// that is slow without vector instructions, the step of Adam (AdamStep).
//
// The kernel's sums are chains: the value of C at (i, j) is
//
//	s = fma(A[i,p], B[p,j], s) for p ascending, from s = 0
//
// over blocks of 256 p, and C[i,j] += alpha*s after each block. Nothing else influences the order:
// not the sizes, the instructions, the place within a tile or the number of threads. The same row
// times the same column gives the same bits in every call. Products are fused on purpose: only
// networks are trained with this package, and they promise the same model on the same machine, not,
// as trees do, on every machine.
//
// The program in _generate, a module of its own, writes kernel_amd64.s and kernel_amd64.go.
package gemm

//go:generate go run -C _generate . -out ../kernel_amd64.s -stubs ../kernel_amd64.go -pkg gemm

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/lambdamart/lambdamart/internal/par"
)

// Implementation multiplies matrices. The zero value uses only the calling goroutine.
type Implementation struct {
	// Pool is the workers that share a product; nil means only the calling goroutine. The result does not
	// depend on it. A Pool must not be used by two calls at the same time.
	Pool *par.Pool
}

// Sgemm sets C = alpha·op(A)·op(B) + beta·C, where op(X) is X or its transpose, op(A) is m×k, op(B)
// is k×n and C is m×n. Matrices are stored by rows; lda, ldb and ldc are the distances from the
// beginning of a row to the beginning of the next, in values.
//
// As in BLAS, C is not read if beta is 0, and A and B are not read if alpha is 0. Otherwise NaN and
// infinities propagate. gonum's own Sgemm skips products with a zero of A, so that 0·Inf is 0 there
// and NaN here.
//
// It panics where gonum does: on sizes below 0, a distance shorter than a row, and a slice shorter
// than its matrix. C must not overlap A or B.
func (g Implementation) Sgemm(
	tA, tB blas.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int,
	beta float32, c []float32, ldc int,
) {
	g.multiply(best, tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// multiply is like Sgemm, with a given kernel.
func (g Implementation) multiply(
	by kernel, tA, tB blas.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int,
	beta float32, c []float32, ldc int,
) {
	if alpha == 0 && k > 0 {
		k = 0 // gonum multiplies by 0, which NaN survives
	}
	if by.instructions == none || m <= 0 || n <= 0 || k <= 0 {
		gonum.Implementation{}.Sgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	p := product{
		m: m, n: n, k: k,
		alpha: alpha,
		a:     newOperand(tA, a, m, k, lda),
		b:     newOperand(tB, b, k, n, ldb),
		beta:  beta,
		c:     newOperand(blas.NoTrans, c, m, n, ldc),

		kernel: by,
	}
	p.multiply(g.Pool)
}

// operand is op(X) of a matrix X stored by rows.
type operand struct {
	values     []float32
	distance   int // from the beginning of a row of X to the beginning of the next
	transposed bool
}

// newOperand returns op(X), of rows×columns. It panics if values is too short for X.
func newOperand(t blas.Transpose, values []float32, rows, columns, distance int) operand {
	x := operand{values, distance, t == blas.Trans || t == blas.ConjTrans}
	if !x.transposed && t != blas.NoTrans {
		panic("gemm: no such transpose")
	}
	if x.transposed {
		rows, columns = columns, rows
	}
	if distance < columns {
		panic("gemm: rows overlap")
	}
	if len(values) < (rows-1)*distance+columns {
		panic("gemm: slice shorter than its matrix")
	}
	return x
}

// steps returns the distance, in values, from an element to the one in the next row, and to the one
// in the next column.
func (x operand) steps() (row, column int) {
	if x.transposed {
		return 1, x.distance
	}
	return x.distance, 1
}

// at returns the index of an element in values.
func (x operand) at(row, column int) int {
	perRow, perColumn := x.steps()
	return row*perRow + column*perColumn
}

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
