package tree

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

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
