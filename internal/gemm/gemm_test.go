package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/test/aid"
)

type multiplier interface {
	Sgemm(tA, tB blas.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int,
		beta float32, c []float32, ldc int)
}

var _ multiplier = Implementation{}

// byKernel multiplies with a given kernel.
type byKernel struct{ kernel kernel }

func (by byKernel) Sgemm(tA, tB blas.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32,
	ldb int, beta float32, c []float32, ldc int) {
	Implementation{}.multiply(by.kernel, tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// problem holds the arguments of a call of Sgemm. There are guard values around C and after each of its rows.
type problem struct {
	tA, tB           blas.Transpose
	m, n, k          int
	lda, ldb, ldc    int
	alpha, beta      float32
	a, b, c, guarded []float32
}

const (
	guardLength = 40
	guardValue  = -12345
)

// newProblem returns a problem with random values. The strides exceed the row lengths by gap.
func newProblem(r *rand.Rand, tA, tB blas.Transpose, m, n, k, gap int, alpha, beta float32) problem {
	p := problem{tA: tA, tB: tB, m: m, n: n, k: k, alpha: alpha, beta: beta}
	p.a, p.lda = matrix(r, tA, m, k, gap)
	p.b, p.ldb = matrix(r, tB, k, n, gap)
	p.ldc = max(1, n+gap)
	size := max(0, (m-1)*p.ldc+n)
	p.guarded = make([]float32, size+2*guardLength)
	for i := range p.guarded {
		p.guarded[i] = guardValue
	}
	p.c = p.guarded[guardLength:][:size:size]
	for i := range m {
		for j := range n {
			p.c[i*p.ldc+j] = float32(r.NormFloat64())
		}
	}
	return p
}

// matrix returns random values of op(X), rows×columns, without padding after the last row.
func matrix(r *rand.Rand, t blas.Transpose, rows, columns, gap int) (values []float32, distance int) {
	if t != blas.NoTrans {
		rows, columns = columns, rows
	}
	distance = max(1, columns+gap)
	values = make([]float32, max(0, (rows-1)*distance+columns))
	for i := range values {
		values[i] = float32(r.NormFloat64())
	}
	return values, distance
}

func (p problem) solve(by multiplier) []float32 {
	guarded := append([]float32(nil), p.guarded...)
	c := guarded[guardLength:][:len(p.c):len(p.c)]
	by.Sgemm(p.tA, p.tB, p.m, p.n, p.k, p.alpha, p.a, p.lda, p.b, p.ldb, p.beta, c, p.ldc)
	return guarded
}

// chains computes the product by the rule in the package documentation.
type chains struct{}

func (chains) Sgemm(tA, tB blas.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32,
	ldb int, beta float32, c []float32, ldc int) {
	x, y := operand{a, lda, tA != blas.NoTrans}, operand{b, ldb, tB != blas.NoTrans}
	for i := range m {
		for j := range n {
			sum := float32(0)
			switch beta {
			case 0:
			case 1:
				sum = c[i*ldc+j]
			default:
				sum = float32(c[i*ldc+j] * beta)
			}
			for from := 0; from < k && alpha != 0; from += depthBlock {
				part := float32(0)
				for p := from; p < min(from+depthBlock, k); p++ {
					part = fma(a[x.at(i, p)], b[y.at(p, j)], part)
				}
				part = float32(part * alpha) // rounded, not fused with the following addition
				if from > 0 || beta != 0 {
					part += sum
				}
				sum = part
			}
			c[i*ldc+j] = sum
		}
	}
}

// fma returns a·b+c with one rounding. The product is exact in float64, and the float64 sum is rounded to
// odd, so that the second rounding, to float32, is correct (Boldo and Melquiond, "Emulation of FMA and
// correctly rounded sums", 2008).
func fma(a, b, c float32) float32 {
	product, addend := float64(a)*float64(b), float64(c)
	sum := product + addend
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return float32(sum)
	}
	other := sum - product // error of the sum, by Knuth's algorithm
	rest := (product - (sum - other)) + (addend - other)
	bits := math.Float64bits(sum)
	if rest != 0 && bits&1 == 0 {
		if (rest > 0) == (sum > 0) {
			bits++
		} else {
			bits--
		}
	}
	return float32(math.Float64frombits(bits))
}

var transposes = []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans}

// forTransposes runs a test for all combinations of transposes, including both
// constants for a transposed matrix.
func forTransposes(t *testing.T, test func(t *testing.T, tA, tB blas.Transpose)) {
	for _, tA := range transposes {
		for _, tB := range transposes {
			t.Run(fmt.Sprintf("%c%c", tA, tB), func(t *testing.T) { test(t, tA, tB) })
		}
	}
}

// equalBits requires two vectors to be equal bit for bit, except that all NaNs are equal.
func equalBits(t *testing.T, want, got []float32, about ...any) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		bothNaN := want[i] != want[i] && got[i] != got[i]
		if !bothNaN && math.Float32bits(want[i]) != math.Float32bits(got[i]) {
			require.Failf(t, "another value", "%v at %d, want %v; %v", got[i], i, want[i], about)
		}
	}
}

// needsKernel skips a test of a property that the kernels have but gonum does not.
func needsKernel(t *testing.T) {
	t.Helper()
	if best.instructions == none {
		t.Skip("this build or CPU has no kernel: gonum multiplies")
	}
}

// TestSumsAreTheDocumentedChains: sizes around the tiles, 6×16 and 12×32, the transposition blocks, 8, and
// the cache blocks, 192 and 256.
func TestSumsAreTheDocumentedChains(t *testing.T) {
	needsKernel(t)
	sizes := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 15, 16, 17, 23, 31, 32, 33, 48, 64, 65, 70}
	if testing.Short() {
		sizes = []int{0, 1, 5, 8, 13, 33}
	}
	forTransposes(t, func(t *testing.T, tA, tB blas.Transpose) {
		r := rand.New(rand.NewPCG(1, uint64(tA)<<8|uint64(tB)))
		for _, m := range sizes {
			for _, n := range sizes {
				k := sizes[r.IntN(len(sizes))]
				checkChains(t, newProblem(r, tA, tB, m, n, k, r.IntN(3)*r.IntN(20), factor(r), factor(r)))
			}
		}
		for _, size := range [][3]int{{1, 1, 600}, {191, 2, 5}, {193, 18, 257}, {385, 33, 255}, {6, 16, 256},
			{7, 17, 513}, {25, 130, 300}} {
			checkChains(t, newProblem(r, tA, tB, size[0], size[1], size[2], r.IntN(9), factor(r), factor(r)))
		}
	})
}

func factor(r *rand.Rand) float32 { return []float32{0, 1, 1, -1, 0.3, -2.5}[r.IntN(6)] }

// checkChains multiplies once with values around C that must not change, and once with all matrices at ends
// of memory beyond which nothing can be accessed.
func checkChains(t *testing.T, p problem) {
	t.Helper()
	want := p.solve(chains{})
	a, b := aid.NewFence[float32](t, len(p.a)), aid.NewFence[float32](t, len(p.b))
	fence := aid.NewFence[float32](t, len(p.c))
	for i, kernel := range kernels()[1:] {
		p.a, p.b = a.Hold(p.a, (p.m+i)%2 > 0), b.Hold(p.b, (p.n+i)%2 > 0)
		equalBits(t, want, p.solve(byKernel{kernel}),
			fmt.Sprintf("%+v, m %d, n %d, k %d, alpha %v, beta %v, distances %d %d %d",
				kernel, p.m, p.n, p.k, p.alpha, p.beta, p.lda, p.ldb, p.ldc))
		c := fence.Hold(p.c, (p.k+i)%2 > 0)
		byKernel{kernel}.Sgemm(p.tA, p.tB, p.m, p.n, p.k, p.alpha, p.a, p.lda, p.b, p.ldb, p.beta, c, p.ldc)
		equalBits(t, want[guardLength:][:len(c)], c)
	}
}

func TestThreadsDoNotChangeBits(t *testing.T) {
	forTransposes(t, func(t *testing.T, tA, tB blas.Transpose) {
		r := rand.New(rand.NewPCG(3, 3))
		p := newProblem(r, tA, tB, 203, 83, 270, 3, 0.7, 1)
		want := p.solve(Implementation{})
		for _, threads := range []int{1, 2, 7, 16} {
			pool := par.New(threads)
			equalBits(t, want, p.solve(Implementation{pool}), threads)
			pool.Close()
		}
	})
}

func TestNotANumber(t *testing.T) {
	needsKernel(t)
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	forTransposes(t, func(t *testing.T, tA, tB blas.Transpose) {
		r := rand.New(rand.NewPCG(5, 5))
		for range 50 {
			p := newProblem(r, tA, tB, 1+r.IntN(20), 1+r.IntN(40), 1+r.IntN(40), 2, 1, float32(r.IntN(3))/2)
			for range 3 {
				value := []float32{nan, inf, -inf, 0}[r.IntN(4)]
				for _, matrix := range [][]float32{p.a, p.b, p.c} {
					if r.IntN(2) == 0 {
						matrix[r.IntN(len(matrix))] = value
					}
				}
			}
			checkChains(t, p)
		}
	})
}

// TestZeroFactorsDoNotRead: if beta is 0, C is not read; if alpha is 0, A and B are not read.
func TestZeroFactorsDoNotRead(t *testing.T) {
	nan := float32(math.NaN())
	p := newProblem(rand.New(rand.NewPCG(6, 6)), blas.NoTrans, blas.NoTrans, 7, 18, 5, 0, 1, 0)
	want := p.solve(Implementation{})
	for i := range p.c {
		p.c[i] = nan
	}
	equalBits(t, want, p.solve(Implementation{}))
	for i := range p.a {
		p.a[i] = nan
	}
	p.alpha = 0
	for _, v := range p.solve(Implementation{})[guardLength:][:len(p.c)] {
		require.Zero(t, v)
	}
}

// TestMisusePanics: calls that panic in gonum also panic here.
func TestMisusePanics(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for name, spoil := range map[string]func(p *problem){
		"transpose of A": func(p *problem) { p.tA = 'X' },
		"transpose of B": func(p *problem) { p.tB = 0 },
		"rows":           func(p *problem) { p.m = -1 },
		"columns":        func(p *problem) { p.n = -1 },
		"depth":          func(p *problem) { p.k = -1 },
		"distance of A":  func(p *problem) { p.lda = 6 },
		"distance of B":  func(p *problem) { p.ldb = 4 },
		"distance of C":  func(p *problem) { p.ldc = 4 },
		"A too short":    func(p *problem) { p.a = p.a[1:] },
		"B too short":    func(p *problem) { p.b = p.b[1:] },
		"C too short":    func(p *problem) { p.m++; p.a = append(p.a, p.a...) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newProblem(r, blas.NoTrans, blas.NoTrans, 3, 5, 7, 0, 1, 0)
			spoil(&p)
			assert.Panics(t, func() { p.solve(gonum.Implementation{}) }, "gonum")
			assert.Panics(t, func() { p.solve(Implementation{}) })
		})
	}
}

// BenchmarkSgemm computes the products of a training step of a network 136-512-256-128-1
// on a query of 120 documents.
func BenchmarkSgemm(b *testing.B) {
	for _, of := range []struct {
		name    string
		tA, tB  blas.Transpose
		m, n, k int
	}{
		{"forward", blas.NoTrans, blas.NoTrans, 120, 256, 512},
		{"weights", blas.Trans, blas.NoTrans, 512, 256, 120},
		{"inputs", blas.NoTrans, blas.Trans, 120, 512, 256},
		{"first", blas.NoTrans, blas.NoTrans, 120, 512, 136},
		{"score", blas.NoTrans, blas.NoTrans, 120, 1, 128},
	} {
		for _, kernel := range kernels() {
			b.Run(fmt.Sprintf("%s/%s", of.name, []string{"gonum", "avx2", "avx512"}[kernel.instructions]),
				func(b *testing.B) {
					by := byKernel{kernel}
					p := newProblem(rand.New(rand.NewPCG(9, 9)), of.tA, of.tB, of.m, of.n, of.k, 0, 1, 0)
					for b.Loop() {
						by.Sgemm(p.tA, p.tB, p.m, p.n, p.k, p.alpha, p.a, p.lda, p.b, p.ldb, p.beta, p.c, p.ldc)
					}
					b.ReportMetric(2*float64(p.m*p.n*p.k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
				})
		}
	}
}
