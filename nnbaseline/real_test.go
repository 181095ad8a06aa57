package nnbaseline

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/metric"
)

// readReal reads a file of real data, or skips the test if it is missing.
func readReal(t *testing.T, name string) Data {
	t.Helper()
	folder := os.Getenv("LAMBDAMART_DATA")
	if folder == "" {
		folder = "../../shared/data"
	}
	path := filepath.Join(folder, filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Skip(name + " is absent; LAMBDAMART_DATA names the folder that holds it")
	}
	src, err := data.Open(path, data.Options{})
	require.NoError(t, err)
	defer src.Close()
	data, err := Read(context.Background(), name, src)
	require.NoError(t, err)
	return data
}

// TestRealData: on MQ2008 every network ranks the test documents better than the single feature that ranks
// the training documents best.
func TestRealData(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: trains on real data")
	}
	data, valid, test := readReal(t, "mq2008/Fold1/train.txt"), readReal(t, "mq2008/Fold1/vali.txt"), readReal(t,
		"mq2008/Fold1/test.txt")
	ndcg := []metric.Metric{metric.NDCG(metric.Default(), 10)}
	judge := func(d Data, scores []float64) float64 {
		results, err := metric.Evaluate(ndcg, d.Meta, scores, 1)
		require.NoError(t, err)
		return results[0].Mean
	}
	column := func(d Data, feature int) []float64 {
		scores := make([]float64, d.Values.NumRows())
		for row := range scores {
			scores[row] = float64(d.Values.row(row)[feature])
		}
		return scores
	}
	best, onTraining := 0, 0.0
	for f := range data.Values.numFeatures() {
		if value := judge(data, column(data, f)); value > onTraining {
			best, onTraining = f, value
		}
	}
	floor := judge(test, column(test, best))
	for _, ranker := range Rankers() {
		p := DefaultParams()
		p.Ranker, p.HiddenLayers, p.Patience, p.StopMetric = ranker, []int{32, 16}, 5, "ndcg@10"
		r, _ := train(t, p, data, valid)
		scores := make([]float64, test.Values.NumRows())
		require.NoError(t, r.Model.ScoreData(scores, test, 0))
		value := judge(test, scores)
		t.Logf("%s: %.4f, the best feature %.4f", ranker, value, floor)
		assert.Greater(t, value, floor, ranker)
	}
}
