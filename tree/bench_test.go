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
