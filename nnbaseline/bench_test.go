package nnbaseline

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lambdamart/lambdamart/dataset"
)

// webLike draws data with MSLR's dimensions: 136 features, about 120 documents per
// query, and its shares of grades.
func webLike(queries int) Data {
	rng := rand.New(rand.NewPCG(136, 120))
	var meta dataset.Meta
	var values []float64
	for number := range queries {
		q := dataset.Query{ID: fmt.Sprint(number), First: len(meta.Labels), Len: 80 + rng.IntN(80)}
		for range q.Len {
			u, label := rng.Float64(), 0.0
			for _, cut := range []float64{0.51, 0.84, 0.97, 0.99} {
				if u >= cut {
					label++
				}
			}
			meta.Labels = append(meta.Labels, label)
			for range 136 {
				values = append(values, label+rng.ExpFloat64())
			}
		}
		meta.Queries = append(meta.Queries, q)
	}
	src, err := dataset.NewDense(meta, values)
	if err != nil {
		panic(err)
	}
	data, err := Read(context.Background(), "weblike", src)
	if err != nil {
		panic(err)
	}
	return data
}

// BenchmarkTrain reports documents per second when training 512-256-128 on one
// thread, with one query per step.
func BenchmarkTrain(b *testing.B) {
	for _, ranker := range Rankers() {
		b.Run(ranker, func(b *testing.B) { benchmarkTrain(b, func(p *Params) { p.Ranker = ranker }) })
	}
}

func benchmarkTrain(b *testing.B, change func(p *Params)) {
	p := DefaultParams()
	p.NumThreads = 1
	change(&p)
	queries := p.BatchQueries
	t, err := newTrainer(&p, webLike(96))
	if err != nil {
		b.Fatal(err)
	}
	defer t.close()
	documents := 0
	b.ReportAllocs()
	for b.Loop() {
		for i := 0; i < len(t.queries); i += queries {
			t.step(t.queries[i:i+queries], p.LearningRate)
			documents += t.pass.rows
		}
	}
	if !t.network.finite() {
		b.Fatal("weights are not finite")
	}
	b.ReportMetric(float64(documents)/b.Elapsed().Seconds(), "docs/s")
}
