package objective

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGradientsOfLongQueriesAreCanceled: objectives that add up many pairs ask meanwhile whether they are
// needed.
func TestGradientsOfLongQueriesAreCanceled(t *testing.T) {
	const n = 8000
	labels, scores := make([]float64, n), make([]float64, n)
	for i := range labels {
		labels[i], scores[i] = float64(i%3), float64(i*7919%n)/n
	}
	names := []string{"lambdarank", "rank_pairwise", "rank_map", "lambdaloss", "lambdarank:1,rank_pairwise:1"}
	for _, name := range names {
		for _, sigma := range []float64{1, 1e6} { // the odds of distant scores overflow
			p := DefaultAllParams()
			p.LambdarankTruncationLevel, p.Sigmoid = n, sigma
			o, err := New(name, &p)
			require.NoError(t, err)
			data := oneQuery(labels...)
			require.NoError(t, o.Prepare(data))
			q, asked := QueryOf(data, 0), 0
			q.Scores, q.Canceled = scores, func() bool { asked++; return true }
			o.Gradients(Gradients{Lambda: make([]float64, n), Hessian: make([]float64, n)}, q)
			assert.Positive(t, asked, "%s, sigmoid=%v", name, sigma)
			assert.LessOrEqual(t, asked, 2, "%s, sigmoid=%v", name, sigma)
		}
	}
}
