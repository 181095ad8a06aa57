package nnbaseline

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/training"
)

// These tests repeat the experiments of the notebooks from which the package originated.

// TestBothFormsOfListNetTrainTheSameNetwork: the two forms of the loss differ by a constant.
func TestBothFormsOfListNetTrainTheSameNetwork(t *testing.T) {
	data, _ := syntheticSets(1)
	entropy, first := train(t, quickParams(ListNet), data)
	divergence, second := train(t, quickParams(ListNetKL), data)
	assert.Equal(t, entropy.Model.network.weights, divergence.Model.network.weights)
	assert.Greater(t, first[1].Loss, second[1].Loss)
}

// TestPresetsAreTheNotebooks counts weights and biases of the four networks: (136+1)·32 + (32+1)·16 + 17,
// and so on.
func TestPresetsAreTheNotebooks(t *testing.T) {
	for name, want := range map[string]struct{ features, weights int }{
		"32-16":       {136, 4929},
		"512-256-128": {10, 169985},
		"128-64-32":   {10, 11777},
		"10":          {100, 1021},
	} {
		p := DefaultParams()
		require.NoError(t, set(&p, "preset", name))
		assert.Equal(t, want.weights, p.shape(want.features).numWeights(), name)
		data := webLike(1)
		p.Epochs = 1
		_, err := Train(context.Background(), p, data, nil, training.Options{})
		assert.NoError(t, err, name)
	}
}
