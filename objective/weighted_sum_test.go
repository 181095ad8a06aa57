package objective

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWeightedSum(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	p := DefaultAllParams()
	data := randomData(rng, true)
	sum, err := New("rank:ndcg:2,QueryRMSE:0.25,rank_xendcg:1e-3", &p)
	require.NoError(t, err)
	assert.Equal(t, "lambdarank:2,query_rmse:0.25,rank_xendcg:0.001", sum.Name())
	assert.Equal(t, "custom", ModelNameOf(sum))
	require.NoError(t, sum.Prepare(data))
	q := atRandomScores(rng, data, 5)
	got := gradientsAt(sum, q)
	want := Gradients{make([]float64, len(q.Scores)), make([]float64, len(q.Scores))}
	for name, factor := range map[string]float64{"lambdarank": 2, "query_rmse": 0.25, "rank_xendcg": 0.001} {
		o, err := New(name, &p)
		require.NoError(t, err)
		require.NoError(t, o.Prepare(data))
		g := gradientsAt(o, q)
		for i := range want.Lambda {
			want.Lambda[i] += factor * g.Lambda[i]
			want.Hessian[i] += factor * g.Hessian[i]
		}
	}
	assert.InDeltaSlice(t, want.Lambda, got.Lambda, 1e-12)
	assert.InDeltaSlice(t, want.Hessian, got.Hessian, 1e-12)
}

func TestWeightedSumBegins(t *testing.T) {
	p := DefaultAllParams()
	o, err := New("lambdarank:1,regression:0.5", &p)
	require.NoError(t, err)
	assert.Equal(t, 2.0, o.(Initial).InitialScore(oneQuery(1, 3)))
}

func TestWeightedSumsThatAreRefused(t *testing.T) {
	p := DefaultAllParams()
	for text, want := range map[string]string{
		"lambdarank:0,query_rmse:1":   "above 0",
		"lambdarank:-1,query_rmse:1":  "above 0",
		"lambdarank:NaN,query_rmse:1": "above 0",
		"lambdarank:Inf,query_rmse:1": "above 0",
		"lambdarank:,query_rmse:1":    "above 0",
		"lambdarank:1,query_rmse":     "no weight",
		"lambdarank,query_rmse":       "no weight",
		"lambdarank:1,rank:ndcg:2":    "twice",
		"lambdarank:1,query_rms:2":    "query_rmse",
		"lambdarank:1,":               "must be one of",
		":1":                          "must be one of",
		"lambdarnak":                  "did you mean lambdarank?",
	} {
		_, err := New(text, &p)
		require.ErrorIs(t, err, ErrUnknown, text)
		assert.ErrorContains(t, err, want, text)
		value := text
		assert.ErrorContains(t, Choice(&value).Check(), want, text)
	}
	o, err := New("lambdarank:1,binary:1", &p)
	require.NoError(t, err)
	var label *LabelError
	assert.ErrorAs(t, o.Prepare(oneQuery(0, 3)), &label)
}

// What no objective of a sum uses is unused.
func TestUnusedParametersOfSums(t *testing.T) {
	p := DefaultAllParams()
	p.Sigmoid, p.YetirankDecay = 2, 0.5
	unused := Unused("lambdarank:1,query_rmse:1", &p)
	require.Len(t, unused, 1)
	assert.Equal(t, "yetirank_decay", unused[0].Name)
	assert.Empty(t, Unused("lambdarank:1,yetirank:1", &p))
	assert.True(t, Uses("lambdarank:1,yetirank:1", "yetirank_decay"))
}
