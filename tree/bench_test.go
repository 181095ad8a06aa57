package tree

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkTables scores rows with symmetric trees, as tables and like other trees. On a busy machine, the
// minimum time is more reliable than the mean.
func BenchmarkTables(b *testing.B) {
	const features, rows = 136, 20000
	for _, levels := range []int{6, 8} {
		rng := rand.New(rand.NewPCG(1, 1))
		e := randomModel{trees: 300, levels: levels, features: features, exact: true, binned: true}.make(rng)
		x := randomRows(rng, rows, features)
		want, got := make([]float64, rows), make([]float64, rows)
		require.NoError(b, e.Score(want, x))
		for _, batch := range []int{1, 100, rows} {
			for name, most := range map[string]int{"tables": maxTableConditions, "others": 0} {
				s, err := compile(e, most)
				require.NoError(b, err)
				b.Run(fmt.Sprintf("%d/%d/%s", 1<<levels, batch, name), func(b *testing.B) {
					require.NoError(b, s.Score(got, x))
					requireSameBits(b, want, got)
					at, best := 0, time.Hour
					for b.Loop() {
						begin := time.Now()
						err := s.Score(got[at:at+batch], x[at*features:(at+batch)*features])
						best = min(best, time.Since(begin))
						require.NoError(b, err)
						at = (at + batch) % (rows - batch + 1)
					}
					b.ReportMetric(float64(best.Nanoseconds())/float64(batch), "best-ns/row")
				})
			}
		}
	}
}

// BenchmarkScorer scores rows of 136 features with models of the usual sizes, in batches of one, of
// a query's size, and large. Trees are random: real ones have fewer distinct thresholds and paths
// of more different lengths. One operation is one row.
func BenchmarkScorer(b *testing.B) {
	const features, rows = 136, 2048
	for _, model := range []randomModel{
		{trees: 500, maxLeaves: 255, features: features, exact: true, binned: true},
		{trees: 1000, maxLeaves: 64, features: features, exact: true, binned: true},
	} {
		rng := rand.New(rand.NewPCG(1, 1))
		e := model.make(rng)
		s, err := Compile(e)
		require.NoError(b, err)
		x := randomRows(rng, rows, features)
		want, got := make([]float64, rows), make([]float64, rows)
		require.NoError(b, e.Score(want, x))
		for _, batch := range []int{1, 8, 16, 100, rows} {
			b.Run(fmt.Sprintf("%dx%d/%d", model.trees, model.maxLeaves, batch), func(b *testing.B) {
				b.ReportAllocs()
				for done := 0; done < b.N; done += batch {
					at := done % (rows - batch + 1)
					require.NoError(b, s.Score(got[at:at+batch], x[at*features:(at+batch)*features]))
				}
				require.NoError(b, s.Score(got, x))
				requireSameBits(b, want, got)
			})
		}
	}
}
