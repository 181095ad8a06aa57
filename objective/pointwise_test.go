package objective

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
)

// loss is used by the tests of all objectives.
func (regression) loss(q Query, scores []float64) (sum float64) {
	for i, s := range scores {
		sum += (s - q.Labels[i]) * (s - q.Labels[i]) / 2
	}
	return sum
}

func (queryRMSE) loss(q Query, scores []float64) float64 {
	return weightedQueryRMSE(q.Labels, scores, nil)
}

func weightedQueryRMSE(labels, scores, weights []float64) (loss float64) {
	sum, total := 0.0, 0.0
	weight := func(i int) float64 {
		if weights == nil {
			return 1
		}
		return weights[i]
	}
	for i := range scores {
		sum += weight(i) * (scores[i] - labels[i])
		total += weight(i)
	}
	for i := range scores {
		d := scores[i] - labels[i] - sum/total
		loss += weight(i) * d * d / 2
	}
	return loss
}

// checkWeights checks that weighting the mean makes the lambdas the derivatives of the weighted loss.
func (queryRMSE) checkWeights(t *testing.T, q Query, weighted Gradients) {
	for i := range q.Scores {
		want := firstDifference(func(d float64) float64 {
			moved := append([]float64(nil), q.Scores...)
			moved[i] += d
			return weightedQueryRMSE(q.Labels, moved, q.Weights)
		})
		require.InDelta(t, want, weighted.Lambda[i], 1e-6)
		require.Equal(t, q.Weights[i], weighted.Hessian[i])
	}
}

func (l *logistic) loss(q Query, scores []float64) (sum float64) {
	for i, s := range scores {
		z := 1 / (1 + math.Exp(-l.sigma*s))
		sum -= q.Labels[i]*math.Log(z) + (1-q.Labels[i])*math.Log(1-z)
	}
	return sum
}

func (c *calibrated) loss(q Query, scores []float64) float64 {
	total, inList := 0.0, 0.0
	for _, s := range scores {
		total += 1 / (1 + math.Exp(-s))
	}
	for i, s := range scores {
		inList -= q.Labels[i] * math.Log(1/(1+math.Exp(-s))/total)
	}
	return (1-c.alpha)*(&logistic{sigma: 1}).loss(q, scores) + c.alpha*inList
}

// TestCalibratedIsLeastAtTheProbabilities: with labels that are probabilities, all lambdas are 0 where the
// sigmoids of the scores are the labels.
func TestCalibratedIsLeastAtTheProbabilities(t *testing.T) {
	q := Query{Labels: []float64{0.5, 0.125, 0.75, 0.01}}
	for _, p := range q.Labels {
		q.Scores = append(q.Scores, math.Log(p/(1-p)))
	}
	for _, share := range []float64{0, 0.5, 1} {
		g := gradientsAt(&calibrated{alpha: share}, q)
		for i, lambda := range g.Lambda {
			assert.InDelta(t, 0, lambda, 1e-14)
			assert.Positive(t, g.Hessian[i])
		}
	}
	q.Scores = []float64{-800, -800, -800, -800} // whose sigmoids underflow
	for _, lambda := range gradientsAt(&calibrated{alpha: 0.5}, q).Lambda {
		assert.True(t, lambda <= 0 && lambda > -2, lambda)
	}
}

func (l *listNet) loss(q Query, scores []float64) (sum float64) {
	logs := func(x []float64) float64 {
		total := 0.0
		for _, v := range x {
			total += math.Exp(v)
		}
		return math.Log(total)
	}
	for i, s := range scores {
		sum += math.Exp(q.Labels[i]-logs(q.Labels)) * (logs(scores) - s)
	}
	return sum
}

// TestHessiansAreSecondDerivatives: Hessians are exact for losses whose documents do not interact, and for
// ListNet.
func TestHessiansAreSecondDerivatives(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 9))
	for _, name := range []string{"regression", "binary", "cross_entropy", "listnet"} {
		p := DefaultAllParams()
		p.Sigmoid = 1.5
		o, err := New(name, &p)
		require.NoError(t, err)
		data := randomData(rng, false)
		require.NoError(t, o.Prepare(data))
		q := atRandomScores(rng, data, 3)
		g := gradientsAt(o, q)
		for i := range q.Scores {
			want := secondDifference(func(d float64) float64 {
				moved := append([]float64(nil), q.Scores...)
				moved[i] += d
				return o.(lossy).loss(q, moved)
			})
			assert.InDelta(t, want, g.Hessian[i], 1e-6, name)
		}
	}
}

// TestInitialScores: training starts from the score at which the sum of all lambdas is 0.
func TestInitialScores(t *testing.T) {
	data := &dataset.Meta{Queries: []dataset.Query{{ID: "1", Len: 3}}, Labels: []float64{0, 1, 1}}
	for _, weights := range [][]float64{nil, {3, 1, 0.5}} {
		data.Weights = weights
		for _, name := range []string{"regression", "binary", "cross_entropy"} {
			p := DefaultAllParams()
			p.Sigmoid = 2
			o, err := New(name, &p)
			require.NoError(t, err)
			q := QueryOf(data, 0)
			s := o.(Initial).InitialScore(data)
			q.Scores = []float64{s, s, s}
			sum := 0.0
			for _, lambda := range gradientsAt(o, q).Lambda {
				sum += lambda
			}
			assert.InDelta(t, 0, sum, 1e-14, name)
			p.BoostFromAverage = false
			o, err = New(name, &p)
			require.NoError(t, err)
			assert.Zero(t, o.(Initial).InitialScore(data))
		}
	}
}

func TestLabelsBeyondTheRange(t *testing.T) {
	for name, bad := range map[string]float64{"binary": 3, "cross_entropy": 1.5, "rank_calibrated": -0.5,
		"regression": 1e40, "query_rmse": -1e40} {
		p := DefaultAllParams()
		o, err := New(name, &p)
		require.NoError(t, err)
		assert.ErrorContains(t, o.Prepare(oneQuery(1, bad)), "of row 1 ", name)
	}
	p := DefaultAllParams()
	o, err := New("binary", &p)
	require.NoError(t, err)
	assert.ErrorContains(t, o.Prepare(oneQuery(0, 0.5)), "labels 0 and 1")
	o, err = New("regression", &p)
	require.NoError(t, err)
	assert.NoError(t, o.Prepare(oneQuery(-1, 1e6)), "any number will do")
}

func TestModelNameSaysTheSteepness(t *testing.T) {
	p := DefaultAllParams()
	p.Sigmoid = 2.5
	for name, want := range map[string]string{"binary": "binary sigmoid:2.5", "regression": "regression",
		"lambdarank": "lambdarank", "listnet": "custom"} {
		o, err := New(name, &p)
		require.NoError(t, err)
		assert.Equal(t, want, ModelNameOf(o))
	}
}

// TestRankCalibratedAtTheEnds: labels of one outcome, a query of one document, and scores whose probabilities
// underflow have finite gradients, and no Hessian is negative.
func TestRankCalibratedAtTheEnds(t *testing.T) {
	for _, labels := range [][]float64{{0, 0, 0}, {1, 1, 1}, {0.5}, {1}, {1, 0, 0}} {
		data := oneQuery(labels...)
		p := DefaultAllParams()
		o, err := New("rank_calibrated", &p)
		require.NoError(t, err)
		require.NoError(t, o.Prepare(data))
		assert.LessOrEqual(t, math.Abs(o.(Initial).InitialScore(data)), 40.0, "%v", labels)
		for _, score := range []float64{0, -50, 50, -1e4, 1e4, -1e308, 1e308} {
			scores := make([]float64, len(labels))
			scores[0] = score
			for range 2 {
				g := gradientsAt(o, queryOf(data, scores))
				for i := range labels {
					assert.LessOrEqual(t, math.Abs(g.Lambda[i]), 4.0, "%v at %v", labels, scores)
					assert.True(t, 0 <= g.Hessian[i] && g.Hessian[i] <= 4, "%v at %v", labels, scores)
				}
				for i := range scores {
					scores[i] = score
				}
			}
		}
	}
}
