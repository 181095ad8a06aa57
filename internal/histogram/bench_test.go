package histogram

import (
	"math/rand/v2"
	"testing"
)

// The benchmarks check their results, and report the time per unit of work.

// perUnit reports the mean time per unit if each iteration of the benchmark processes this many units.
func perUnit(b *testing.B, units int, name string) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(units), "ns/"+name)
}

// BenchmarkBin finds the bins of values.
func BenchmarkBin(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, c := range []struct {
		name string
		draw func() float64
	}{
		{"normal", rng.NormFloat64},
		{"longtail", func() float64 { return 1 / (rng.Float64() + 1e-9) }},
		{"integers", func() float64 { return float64(rng.IntN(1000)) }},
	} {
		values := make([]float64, 1<<14)
		for i := range values {
			values[i] = c.draw()
		}
		f := boundsOf(BinParams{MaxBin: 255, MinDataInBin: 3, SampleCount: len(values)}, values...)
		sum, want := 0, 0
		for _, v := range values {
			want += int(f.searchBin(v))
		}
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				sum = 0
				for _, v := range values {
					sum += int(f.Bin(v))
				}
			}
			perUnit(b, len(values), "value")
			if sum != want {
				b.Fatalf("bins sum to %d instead of %d", sum, want)
			}
		})
	}
}
