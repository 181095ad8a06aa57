package objective

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
)

// loss is the naive sum over the pairs.
func (g *givenPairs) loss(q Query, scores []float64) (sum float64) {
	for _, p := range g.data.Pairs {
		if p.Query == q.Number {
			sum += p.Weight * math.Log1p(math.Exp(scores[p.Worse]-scores[p.Better]))
		}
	}
	return sum
}

// TestGivenPairs: pairs move two documents apart whatever their grades and however distant their scores, also
// within a sum of objectives.
func TestGivenPairs(t *testing.T) {
	data := oneQuery(0, 0, 0)
	data.Pairs = []dataset.Pair{{Better: 0, Worse: 1, Weight: 2}}
	for _, scores := range [][]float64{{0, 0, 9}, {1e300, -1e300, 0}, {-1e300, 1e300, 0}} {
		p := DefaultAllParams()
		o, err := New("pairs:2,lambdarank:0.5", &p)
		require.NoError(t, err)
		require.NoError(t, o.Prepare(data))
		g := gradientsAt(o, queryOf(data, scores))
		rho := 1 / (1 + math.Exp(scores[0]-scores[1]))
		assert.Equal(t, []float64{-4 * rho, 4 * rho, 0}, g.Lambda)
		assert.Equal(t, []float64{4 * rho * (1 - rho), 4 * rho * (1 - rho), 0}, g.Hessian)
	}
	require.ErrorIs(t, new(givenPairs).Prepare(oneQuery(1, 0)), errNoPairs)
}
