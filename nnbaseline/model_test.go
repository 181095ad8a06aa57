package nnbaseline

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/training"
)

// quickParams returns parameters for a training run of a few milliseconds.
func quickParams(ranker string) Params {
	p := DefaultParams()
	p.Ranker, p.HiddenLayers, p.Dropout, p.Epochs, p.NumThreads = ranker, []int{24, 10}, 0.1, 2, 1
	return p
}

// bytesOf returns the file of a model.
func bytesOf(t testing.TB, m *Model) []byte {
	t.Helper()
	var file bytes.Buffer
	require.NoError(t, m.Write(&file))
	return file.Bytes()
}

func TestThreadsDoNotChangeTheModel(t *testing.T) {
	train, valid := syntheticSets(2)
	for _, normalization := range []string{NoNormalization, BatchNorm, LayerNorm} {
		var want []byte
		for _, threads := range []int{1, 2, 7} {
			p := quickParams(ListNet)
			p.HiddenLayers, p.Normalization, p.NumThreads, p.BatchQueries, p.GradientClip = []int{160,
				70}, normalization, threads, 20, 1
			r, err := Train(context.Background(), p, train, []Data{valid}, training.Options{})
			require.NoError(t, err)
			if want == nil {
				want = bytesOf(t, r.Model)
			}
			assert.True(t, bytes.Equal(want, bytesOf(t, r.Model)), "normalization=%s, %d threads",
				normalization, threads)
		}
	}
}
