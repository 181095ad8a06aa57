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
	"github.com/lambdamart/lambdamart/metric"
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
		if a.Sparse && a.Rows[n] != row || binsum.Unpack(a.Packed[n]) != want {
			b.Fatalf("row %d: %+v", row, want)
		}
		n++
	}
	if n != len(a.Packed) {
		b.Fatalf("%d active rows instead of %d", len(a.Packed), n)
	}
}

// fullLists draws two lists of 60,000 documents of five grades, by a latent value of ten features plus noise.
func fullLists(seed uint64) *table {
	const rows, size = 120_000, 60_000
	rng := rand.New(rand.NewPCG(seed, 49))
	values, labels := make([][]float64, rows), make([]float64, rows)
	for r := range values {
		x, latent := make([]float64, 10), 0.0
		for f := range x {
			x[f] = rng.NormFloat64()
			latent += x[f] * float64(len(x)-f) / 10
		}
		latent += math.Sin(2*x[0]) + x[1]*x[2] + 1.25*rng.NormFloat64()
		values[r] = x
		for _, limit := range []float64{0, 1.8, 3.5, 5} { // five grades, of half, a quarter, ... of the documents
			if latent > limit {
				labels[r]++
			}
		}
	}
	return newTable(values, labels, size)
}

// BenchmarkFullLists trains on two full lists and reports the share of pairs of two others that are in order.
func BenchmarkFullLists(b *testing.B) {
	train, test := fullLists(1), fullLists(2)
	for _, method := range []string{"topk", "mean", "all"} {
		b.Run(method, func(b *testing.B) {
			p := DefaultParams()
			p.Objective, p.LambdarankPairMethod, p.LambdarankScoreGapNorm = "rank_pairwise", method, false
			accuracy := must(metric.Parse("pair_accuracy", metric.Default()))
			data, sum := binned(b, &p, train), 0.0
			var model *Result
			for b.Loop() {
				model = must(Train(b.Context(), p, data[0], nil, Options{}))
			}
			for _, q := range test.meta.Queries {
				scores, labels := make([]float64, q.Len), test.meta.Labels[q.First:q.First+q.Len]
				for i := range scores {
					scores[i] = must(model.Model.ScoreRow(test.values[q.First+i]))
				}
				share, _ := accuracy.Query(labels, scores)
				sum += share / float64(len(test.meta.Queries))
			}
			b.ReportMetric(sum, "pairs-in-order")
			if method != "topk" && sum < 0.9 {
				b.Fatalf("%.3f of the pairs are in order", sum)
			}
		})
	}
}
