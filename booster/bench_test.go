package booster

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lambdamart/lambdamart/metric"
)

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
	for _, c := range []struct {
		method      string
		rate, least float64
	}{{"topk", 0.1, 0}, {"mean", 0.1, 0.9}, {"all", 0.2, 0.91}} {
		b.Run(c.method, func(b *testing.B) {
			p := DefaultParams()
			p.Objective, p.LambdarankPairMethod, p.LambdarankScoreGapNorm = "rank_pairwise", c.method, false
			p.LearningRate = c.rate
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
			if sum < c.least {
				b.Fatalf("%.3f of the pairs are in order", sum)
			}
		})
	}
}
