package booster

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/tree"
)

// shuffled returns the table with the documents of each query in a random order.
func shuffled(rng *rand.Rand, t *table) *table {
	other := *t
	meta := *t.meta
	meta.Labels = make([]float64, len(t.meta.Labels))
	other.meta, other.values = &meta, make([][]float64, len(t.values))
	other.Source = dataset.NewMemory(other.meta, 1, other.read)
	for _, q := range meta.Queries {
		for i, from := range rng.Perm(q.Len) {
			other.values[q.First+i] = t.values[q.First+from]
			meta.Labels[q.First+i] = t.meta.Labels[q.First+from]
		}
	}
	return &other
}

// TestModelsDoNotDependOnTheOrderWithinQueries: models are equal in every bit if trees grow on all rows.
func TestModelsDoNotDependOnTheOrderWithinQueries(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	p := smallParams()
	p.NumIterations, p.ActiveFraction, p.BaggingFraction, p.BaggingFreq, p.FeatureFraction = 30, 1, 0.8, 2, 0.7
	data := randomTable(3, 1500)
	model := func(of *table) *tree.Ensemble {
		r, err := Train(t.Context(), p, binned(t, &p, of)[0], nil, Options{})
		require.NoError(t, err)
		r.Model.Parameters = "" // contains a hash of the data, which depends on the order
		return r.Model
	}
	want := model(data)
	for range 3 {
		assert.Equal(t, want, model(shuffled(rng, data)))
	}
	p.LambdarankTies = "file"
	assert.NotEqual(t, model(data), model(shuffled(rng, data)))
}
