package objective

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
)

// TestEmphasize compares it with sums that are given these weights: the terms of a label rise by their shares
// of its weights, and Prepare begins anew.
func TestEmphasize(t *testing.T) {
	p, data := DefaultAllParams(), randomData(rand.New(rand.NewPCG(31, 2)), true)
	data.LabelName = "click"
	data.More = []dataset.Labels{{Name: "cart", Values: slices.Clone(data.Labels)}}
	slices.Reverse(data.More[0].Values)
	q := atRandomScores(rand.New(rand.NewPCG(31, 3)), data, 5)
	sum := func(text string) Objective {
		o, err := New(text, &p)
		require.NoError(t, err)
		require.NoError(t, o.Prepare(data))
		return o
	}
	const given = "lambdarank:2,rank_xendcg@cart:1,lambdarank@cart:3,rank_xendcg@click:2"
	o := sum(given)
	Emphasize(o, []string{"cart", ""}, []float64{7, 7})
	Emphasize(o, []string{"cart", "", "cart"}, []float64{0.5, 0.25, 1}) // not on top of the former weights
	want := gradientsAt(sum("lambdarank:3,rank_xendcg@cart:4,lambdarank@cart:12,rank_xendcg@click:3"), q)
	got := gradientsAt(o, q)
	assert.InDeltaSlice(t, want.Lambda, got.Lambda, 1e-12)
	assert.InDeltaSlice(t, want.Hessian, got.Hessian, 1e-12)
	require.NoError(t, o.Prepare(data))
	assert.Equal(t, gradientsAt(sum(given), q), gradientsAt(o, q))
}

func TestWeightedSumBegins(t *testing.T) {
	p := DefaultAllParams()
	o, err := New("lambdarank:1,regression:0.5", &p)
	require.NoError(t, err)
	assert.Equal(t, 2.0, o.(Initial).InitialScore(oneQuery(1, 3)))
}

// TestImbalance: labels in thousands drown out the other objective, unless a weight makes up for it; a small
// weight of an objective of the same size is meant.
func TestImbalance(t *testing.T) {
	data := randomData(rand.New(rand.NewPCG(31, 4)), false)
	data.LabelName, data.More = "grade", []dataset.Labels{{Name: "price"}}
	for _, y := range data.Labels {
		data.More[0].Values = append(data.More[0].Values, 1e5*y)
	}
	for text, want := range map[string]string{
		"lambdarank:1,regression@price:1": "the gradients of regression@price are about ",
		"regression@price:2,lambdarank:1": "those of lambdarank when training begins",
		"lambdarank:1,regression:1":       "",
		"lambdarank:1,regression:0.0001":  "",
		"lambdarank:0.0001,regression:1":  "",
	} {
		p := DefaultAllParams()
		o, err := New(text, &p)
		require.NoError(t, err)
		require.NoError(t, o.Prepare(data))
		got := o.(*weightedSum).Imbalance(data)
		assert.Contains(t, got, want, text)
		assert.Equal(t, want == "", got == "", "%s: %s", text, got)
		if want == "" {
			continue
		}
		_, advice, _ := strings.Cut(got, "equal is ")
		o, err = New("lambdarank:1,"+advice, &p)
		require.NoError(t, err, advice)
		require.NoError(t, o.Prepare(data))
		assert.Empty(t, o.(*weightedSum).Imbalance(data), "the advice is followed")
	}
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

// TestModelNamesOfSums: scores of one objective alone are probabilities, whatever its label and factor are.
func TestModelNamesOfSums(t *testing.T) {
	p := DefaultAllParams()
	p.Sigmoid = 2
	for text, want := range map[string]string{
		"binary@click":          "binary sigmoid:2",
		"cross_entropy:0.5":     "cross_entropy",
		"rank_calibrated@buy:3": "cross_entropy",
		"lambdarank@click":      custom,
		"binary:1,binary@buy:1": custom,
	} {
		o, err := New(text, &p)
		require.NoError(t, err)
		assert.Equal(t, want, ModelNameOf(o), text)
	}
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

// TestLabels: a part of a sum that names a label has the same derivatives as if this were the only label.
func TestLabels(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 1))
	p := DefaultAllParams()
	data := randomData(rng, true)
	data.LabelName, data.More = "click", []dataset.Labels{{Name: "cart"}, {Name: "buy"}}
	for range data.Labels {
		for i := range data.More {
			data.More[i].Values = append(data.More[i].Values, float64(rng.IntN(3)))
		}
	}
	sum, err := New("rank:ndcg:2,QueryRMSE@cart:0.25,lambdarank@buy:3,listnet@click:1", &p)
	require.NoError(t, err)
	assert.Equal(t, "lambdarank:2,query_rmse@cart:0.25,lambdarank@buy:3,listnet@click:1", sum.Name())
	assert.Equal(t, []string{"", "cart", "buy", "click"}, Labels(sum.Name()))
	assert.Equal(t, "custom", ModelNameOf(sum))
	require.NoError(t, sum.Prepare(data))
	q := atRandomScores(rng, data, 5)
	want := Gradients{make([]float64, len(q.Scores)), make([]float64, len(q.Scores))}
	add := func(name string, labels []float64, factor float64) {
		data := &dataset.Meta{Queries: data.Queries, Labels: labels, Weights: data.Weights}
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
	add("lambdarank", data.Labels, 2)
	add("query_rmse", data.More[0].Values, 0.25)
	add("lambdarank", data.More[1].Values, 3)
	add("listnet", data.Labels, 1)
	got := gradientsAt(sum, q)
	assert.InDeltaSlice(t, want.Lambda, got.Lambda, 1e-12)
	assert.InDeltaSlice(t, want.Hessian, got.Hessian, 1e-12)
	alone, err := New("lambdarank@buy", &p)
	require.NoError(t, err)
	assert.Equal(t, "lambdarank@buy", alone.Name())
	require.NoError(t, alone.Prepare(data))
}

func TestLabelsThatAreWrong(t *testing.T) {
	p := DefaultAllParams()
	o, err := New("lambdarank:1,binary@buy:1", &p)
	require.NoError(t, err)
	data := oneQuery(1, 2)
	assert.ErrorIs(t, o.Prepare(data), dataset.ErrNoLabel)
	data.LabelName, data.More = "click", []dataset.Labels{{Name: "cart", Values: []float64{0, 3}}}
	assert.ErrorContains(t, o.Prepare(data), "label buy: the data has no such label; there are click, cart")
	data.More[0].Name = "buy"
	assert.ErrorContains(t, o.Prepare(data), "binary@buy: label 3 of row 1")
	for text, want := range map[string]string{
		"lambdarank:1,query_rms@buy:0.2":        "did you mean query_rmse?",
		"lambdarank:1,query_rmse@buy":           "query_rmse@buy has no weight",
		"query_rmse@buy:1,query_rmse@buy:2":     "query_rmse@buy is there twice",
		"lambdarank:1,lambdarank@buy@again:0.2": "cannot name a label",
		"lambdarank:1,query_rmse@2:0.5":         `"2" cannot name a label`,
		"lambdarank@2":                          `"2" cannot name a label`,
		"query_rmse@2":                          "query_rmse takes no number of ranks; leave out @2",
		"rank:ndcg@5":                           "give objective=lambdarank and lambdarank_truncation_level=5",
		"rank:map@3":                            "give objective=rank_map and lambdarank_truncation_level=3",
		"ndcg@10":                               "ndcg@10 is a metric, which judges models (metric=ndcg@10)",
		"map":                                   "such as rank_map",
		"mrr":                                   "mrr is a metric",
		"lambdarank@":                           `"" cannot name a label`,
		"lambdarank:1,query_rmse@buy:0":         "above 0",
	} {
		_, err := New(text, &p)
		assert.ErrorContains(t, err, want, text)
	}
	begins, err := New("lambdarank:1,regression@buy:0.5", &p)
	require.NoError(t, err)
	assert.Equal(t, 1.5, begins.(Initial).InitialScore(data))
	p.LambdarankTarget, p.LambdarankTies = "map", "mean"
	_, err = New("query_rmse:1,lambdarank@buy:1", &p)
	assert.Error(t, err, "contradicting parameters are found after a label too")
}
