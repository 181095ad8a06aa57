package nnbaseline

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lambdamart/lambdamart/dataset"
)

// TestLossesOfLongQueriesAreCanceled: losses of pairs ask meanwhile whether they are needed.
func TestLossesOfLongQueriesAreCanceled(t *testing.T) {
	const n = 8000
	labels, scores := make([]float64, n), make([]float64, n)
	for i := range labels {
		labels[i], scores[i] = float64(i%3), float64(i*7919%n)/n
	}
	for _, ranker := range []string{RankNet, LambdaRank} {
		p := DefaultParams()
		p.Ranker, p.LambdarankTruncationLevel = ranker, n
		asked := 0
		q := query{labels: labels, step: 1, stop: func() bool { asked++; return true }}
		newLoss(&p).of(make([]float64, n), q, scores)
		assert.Equal(t, 1, asked, ranker)
	}
}

func TestManyPairsRemark(t *testing.T) {
	meta := &dataset.Meta{Labels: make([]float64, 200_000), Queries: []dataset.Query{{ID: "long", Len: 200_000}}}
	meta.Labels[7] = 1
	p := DefaultParams()
	p.Ranker = RankNet
	assert.Contains(t, p.PairsRemark(meta), "has 2e+10 of them; set ranknet_pairs=1000")
	p.Pairs = 100
	assert.Empty(t, p.PairsRemark(meta))
	p.Ranker = LambdaRank
	assert.Empty(t, p.PairsRemark(meta))
	p.LambdarankTruncationLevel = 100_000
	assert.Contains(t, p.PairsRemark(meta), "lower lambdarank_truncation_level, which is 100000")
}
