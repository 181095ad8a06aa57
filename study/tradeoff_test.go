package study

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/plot"
)

// tradeoffData returns data with a second label, which another feature decides.
func tradeoffData(t *testing.T) Data {
	t.Helper()
	d := curveData(t, 90)
	other := make([]float64, len(d.Train.Meta.Labels))
	for row := range other {
		other[row] = float64(d.Train.Values.At(int32(row), 3) / 80)
	}
	meta := *d.Train.Meta
	meta.LabelName, meta.More = "sale", []dataset.Labels{{Name: "click", Values: other}}
	d.Train.Meta = &meta
	return d
}

// TestTradeoff: the ends are the studies of single objectives, and a mixture is dominated as its definition
// says.
func TestTradeoff(t *testing.T) {
	p, d := curveParams(0), tradeoffData(t)
	o := TradeoffOptions{A: "lambdarank@sale", B: "lambdarank@click", Steps: 4}
	r, err := Tradeoff(t.Context(), p, d, o)
	require.NoError(t, err)
	require.Len(t, r.Mixtures, 4)
	for at, name := range map[int]string{0: "sale", 3: "click"} {
		alone := p
		alone.Objective, alone.StopMetric = "lambdarank@"+name, "ndcg@5@"+name
		b, err := newBegun(t.Context(), alone, d, Options{}, nil)
		require.NoError(t, err)
		var fit Trained
		_, err = b.train(&fit, b.params, b.parts)
		require.NoError(t, err)
		m := r.Mixtures[at]
		assert.Equal(t, fit.Best, m.Best)
		assert.Equal(t, fit.PerQuery, []nullable{m.PerQuery, m.Other}[min(at, 1)])
		assert.Equal(t, alone.Objective, m.Objective)
	}
	assert.Equal(t, "lambdarank@sale:0.6667,lambdarank@click:0.3333", r.Mixtures[1].Objective)
	assert.Greater(t, r.Mixtures[0].Means[0], r.Mixtures[3].Means[0])
	assert.Less(t, r.Mixtures[0].Means[1], r.Mixtures[3].Means[1])
	for _, m := range r.Mixtures {
		dominated := false
		for _, other := range r.Mixtures {
			worse := other.Means[0] < m.Means[0] || other.Means[1] < m.Means[1]
			dominated = dominated || !worse && other.Means != m.Means
		}
		assert.Equal(t, dominated, m.Dominated)
	}
	for _, s := range r.Sections[0].Figures[0].Chart.(*plot.Lines).Series {
		for _, p := range s.Points {
			assert.True(t, p.XLow < p.X && p.X < p.XHigh && p.Low < p.Y && p.Y < p.High, p)
		}
	}
}

func TestDominatedMixtures(t *testing.T) {
	at := func(a, b float64) *Mixture { return &Mixture{Means: [2]float64{a, b}} }
	all := []*Mixture{at(1, 0), at(0.5, 0.5), at(0.5, 0.4), at(0.5, 0.5), at(0, 1)}
	var found []bool
	for _, m := range all {
		found = append(found, slices.ContainsFunc(all, func(o *Mixture) bool { return o.dominates(m) }))
	}
	assert.Equal(t, []bool{false, false, true, false, false}, found)
}

func TestTradeoffRefuses(t *testing.T) {
	for want, o := range map[string]TradeoffOptions{
		"name two objectives":                    {A: "lambdarank@sale", Steps: 9},
		"at least two steps":                     {A: "lambdarank@sale", B: "lambdarank@click", Steps: 1},
		"would both be judged by ndcg@5@click":   {A: "lambdarank@click", B: "binary@click", Steps: 2},
		"both be judged by ndcg@5@sale: name":    {A: "lambdarank", B: "lambdarank@sale", Steps: 2},
		"binary@click:.5: name one objective":    {A: "lambdarank@sale", B: "binary@click:.5", Steps: 2},
		"l2@sale: name one objective for each":   {A: "binary@click,l2@sale", B: "l2@click", Steps: 2},
		"pairs@click: objective=pairs needs":     {A: "lambdarank@sale", B: "pairs@click", Steps: 2},
		"must be one of lambdarank":              {A: "nosuch@sale", B: "lambdarank@click", Steps: 2},
		"label sold: the data has no such label": {A: "lambdarank@sold", B: "lambdarank@click", Steps: 2},
	} {
		log, said := logged()
		o.Log = log
		_, err := Tradeoff(t.Context(), curveParams(0), tradeoffData(t), o)
		assert.ErrorContains(t, err, want)
		assert.NotContains(t, said.String(), "event=mixture", want)
	}
	o := TradeoffOptions{A: "lambdarank@sale", B: "lambdarank@click", Steps: 2}
	p, d := curveParams(0), tradeoffData(t)
	d.Train.Meta.More[0].Values = make([]float64, d.Train.Meta.NumRows())
	_, err := Tradeoff(t.Context(), p, d, o)
	assert.ErrorContains(t, err, "rank@click: in none of the training queries does the label click of")
	judged, constant := d.Train, d.Train.Meta
	d.Train.Meta, d.Valid = tradeoffData(t).Train.Meta, &judged
	judged.Meta = constant
	_, err = Tradeoff(t.Context(), p, d, o)
	assert.ErrorContains(t, err,
		"does the label click of documents differ, so nothing can be judged by ndcg@5@click")
	o.A, d.Train.Meta.Labels = "lambdarank", make([]float64, d.Train.Meta.NumRows())
	_, err = Tradeoff(t.Context(), p, d, o)
	assert.ErrorContains(t, err, "=lambdarank: in none of the training queries does the label of documents")
	p.StopMetric = "nosuch"
	assert.Equal(t, 1, strings.Count(o.Check(&p).Error(), "nosuch"))
}
