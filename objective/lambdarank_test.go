package objective

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/metric"
)

// oneQuery returns the metadata of a single query.
func oneQuery(labels ...float64) *dataset.Meta {
	return &dataset.Meta{Queries: []dataset.Query{{ID: "1", Len: len(labels)}}, Labels: labels}
}

// queryOf returns the single query of data, with its scores.
func queryOf(data *dataset.Meta, scores []float64) Query {
	q := QueryOf(data, 0)
	q.Scores = scores
	return q
}

// defaultLambdaRank returns the objective with default parameters.
func defaultLambdaRank() *lambdaRank { return &lambdaRank{params: DefaultAllParams()} }

// gradientsOf prepares l for one query and returns the query's derivatives.
func gradientsOf(t *testing.T, l *lambdaRank, data *dataset.Meta, scores []float64) Gradients {
	t.Helper()
	require.NoError(t, l.Prepare(data))
	dst := Gradients{make([]float64, len(scores)), make([]float64, len(scores))}
	for i := range dst.Lambda {
		dst.Lambda[i], dst.Hessian[i] = math.NaN(), math.NaN() // must be overwritten
	}
	l.Gradients(dst, queryOf(data, scores))
	return dst
}

// variants returns the objective under all combinations of its switches.
func variants() map[string]*lambdaRank {
	all := map[string]*lambdaRank{}
	for _, gap := range []bool{false, true} {
		for _, log := range []bool{false, true} {
			for _, truncation := range []int{1, 3, 30} {
				l := &lambdaRank{params: AllParams{Sigmoid: 1.5, LambdarankTruncationLevel: truncation,
					LambdarankScoreGapNorm: gap, LambdarankLogNorm: log, LambdarankTies: tiesFile, LabelGain: metric.Exp2()}}
				all["gap "+strconv.FormatBool(gap)+", log "+strconv.FormatBool(log)+", truncation "+strconv.Itoa(
					truncation)] = l
			}
		}
	}
	return all
}

func randomQuery(rng *rand.Rand, n int) (labels, scores []float64) {
	for range n {
		labels = append(labels, float64(rng.IntN(5)))
		scores = append(scores, 2*rng.NormFloat64())
	}
	return labels, scores
}

func TestQueriesWithoutPairs(t *testing.T) {
	for _, labels := range [][]float64{{3}, {0, 0, 0}, {2, 2}} {
		g := gradientsOf(t, defaultLambdaRank(), oneQuery(labels...), make([]float64, len(labels)))
		assert.Equal(t, make([]float64, len(labels)), g.Lambda)
		assert.Equal(t, make([]float64, len(labels)), g.Hessian)
	}
}
