package objective

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
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
	assert.ErrorContains(t, o.Prepare(oneQuery(0, 3)), "binary: label 3 of row 1")
}

// TestUnusedParametersOfSums: a parameter is unused if no objective of the sum uses it.
func TestUnusedParametersOfSums(t *testing.T) {
	p := DefaultAllParams()
	p.Sigmoid, p.YetirankDecay = 2, 0.5
	unused := Unused("lambdarank:1,query_rmse:1", &p)
	require.Len(t, unused, 1)
	assert.Equal(t, "yetirank_decay", unused[0].Name)
	assert.Empty(t, Unused("lambdarank:1,yetirank:1", &p))
	assert.True(t, Uses("lambdarank:1,yetirank:1", "yetirank_decay"))
}

// TestSecondLabels: a part of a sum that uses the second labels has the same derivatives as if these were
// the labels.
func TestSecondLabels(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 1))
	p := DefaultAllParams()
	data := randomData(rng, true)
	for range data.Labels {
		data.SecondLabels = append(data.SecondLabels, float64(rng.IntN(3)))
	}
	sum, err := New("rank:ndcg:2,QueryRMSE@2:0.25,lambdarank@2:3", &p)
	require.NoError(t, err)
	assert.Equal(t, "lambdarank:2,query_rmse@2:0.25,lambdarank@2:3", sum.Name())
	require.NoError(t, sum.Prepare(data))
	q := atRandomScores(rng, data, 5)
	want := Gradients{make([]float64, len(q.Scores)), make([]float64, len(q.Scores))}
	add := func(name string, data *dataset.Meta, factor float64) {
		o, err := New(name, &p)
		require.NoError(t, err)
		require.NoError(t, o.Prepare(data))
		alone := QueryOf(data, q.Number)
		alone.Scores = q.Scores
		g := gradientsAt(o, alone)
		for i := range want.Lambda {
			want.Lambda[i] += factor * g.Lambda[i]
			want.Hessian[i] += factor * g.Hessian[i]
		}
	}
	add("lambdarank", data, 2)
	second := &dataset.Meta{Queries: data.Queries, Labels: data.SecondLabels, Weights: data.Weights}
	add("query_rmse", second, 0.25)
	add("lambdarank", second, 3)
	got := gradientsAt(sum, q)
	assert.InDeltaSlice(t, want.Lambda, got.Lambda, 1e-12)
	assert.InDeltaSlice(t, want.Hessian, got.Hessian, 1e-12)
	alone, err := New("lambdarank@2", &p)
	require.NoError(t, err)
	assert.Equal(t, "lambdarank@2", alone.Name())
	require.NoError(t, alone.Prepare(data))
	for _, name := range []string{"lambdarank@2", "lambdarank:1,query_rmse@2:0.2"} {
		assert.True(t, ReadsSecondLabels(name))
	}
	assert.False(t, ReadsSecondLabels("lambdarank:1,query_rmse:0.2"))
}

func TestSecondLabelsThatAreWrong(t *testing.T) {
	p := DefaultAllParams()
	o, err := New("lambdarank:1,binary@2:1", &p)
	require.NoError(t, err)
	data := oneQuery(1, 2)
	assert.ErrorIs(t, o.Prepare(data), ErrNoSecondLabels)
	data.SecondLabels = []float64{0, 3}
	assert.ErrorContains(t, o.Prepare(data), "binary@2: label 3 of row 1")
	for text, want := range map[string]string{
		"lambdarank:1,query_rmse@3:0.2":   "did you mean query_rmse?",
		"lambdarank:1,query_rmse@2":       "query_rmse@2 has no weight",
		"query_rmse@2:1,query_rmse@2:2":   "query_rmse@2 is there twice",
		"lambdarank:1,lambdarank@2@2:0.2": "must be one of",
		"lambdarank:1,query_rmse@2:0":     "above 0",
	} {
		_, err := New(text, &p)
		assert.ErrorContains(t, err, want, text)
	}
	begins, err := New("lambdarank:1,regression@2:0.5", &p)
	require.NoError(t, err)
	assert.Equal(t, 1.5, begins.(Initial).InitialScore(data))
	p.LambdarankTarget, p.LambdarankTies = "map", "mean"
	_, err = New("query_rmse:1,lambdarank@2:1", &p)
	assert.Error(t, err, "contradicting parameters are found after @2 too")
}
