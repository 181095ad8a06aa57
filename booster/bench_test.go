package booster

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lambdamart/lambdamart/internal/binsum"
	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/objective"
)

// The benchmarks check their results, and report the time per unit of work on one worker.

// perUnit reports the mean time per unit if each iteration of the benchmark processes this many units.
func perUnit(b *testing.B, units int, name string) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(units), "ns/"+name)
}

const benchRows = 1 << 17

// onePool returns a pool of one worker.
func onePool(b *testing.B) *par.Pool {
	pool := par.New(1)
	b.Cleanup(pool.Close)
	return pool
}

// BenchmarkActivate rounds long-tailed gradients, like LambdaMART's.
func BenchmarkActivate(b *testing.B) {
	rng := rand.New(rand.NewPCG(2, 2))
	g := objective.Gradients{Lambda: make([]float64, benchRows), Hessian: make([]float64, benchRows)}
	rows := make([]int32, benchRows)
	for i := range rows {
		size := math.Exp(2 * rng.NormFloat64())
		g.Lambda[i], g.Hessian[i], rows[i] = size*(rng.Float64()-0.5), size*rng.Float64(), int32(i)
	}
	key, all := random.New(1, random.RoundGradient, 1), allRows(benchRows)
	pool := onePool(b)
	for _, fraction := range []float64{1, 0.125} {
		b.Run(fmt.Sprintf("fraction=%v", fraction), func(b *testing.B) {
			a := activation{}
			for b.Loop() {
				if err := a.activate(&all, all.size, g, extremesOf(g, 0), fraction, key, pool); err != nil {
					b.Fatal(err)
				}
			}
			perUnit(b, benchRows, "row")
			checkActive(b, &a, rows, g, key)
		})
	}
}

// checkActive checks the active rows and their rounded gradients against the formulas.
func checkActive(b *testing.B, a *activation, rows []int32, g objective.Gradients, key random.Key) {
	round := func(s exact.Scale, x, r float64) int64 {
		if a.Sparse {
			return s.Dither(x, r)
		}
		return s.Round(x)
	}
	n := 0
	for _, row := range rows {
		r := key.Float64(int(row))
		want := binsum.Sum{Gradient: round(a.Gradient, g.Lambda[row], r),
			Hessian: round(a.Hessian, g.Hessian[row], r)}
		if a.Sparse && want == (binsum.Sum{}) {
			continue
		}
		if a.Rows[n] != row || binsum.Unpack(a.Packed[n]) != want {
			b.Fatalf("row %d: %+v", row, want)
		}
		n++
	}
	if n != len(a.Rows) {
		b.Fatalf("%d active rows instead of %d", len(a.Rows), n)
	}
}
