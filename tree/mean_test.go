package tree

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMean(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		var models []*Ensemble
		rows := make([]float64, 6*4)
		for i := range rows {
			rows[i] = float64(rng.IntN(7))
		}
		want := make([]float64, 6)
		for n := range 3 {
			m := randomModel{trees: 1 + n, maxLeaves: 7, features: 4, missing: true, categorical: true, linear: n == 1,
				average: n == 2}.make(rng)
			m.Objective = "lambdarank"
			models = append(models, m)
			scores := make([]float64, 6)
			require.NoError(t, m.Score(scores, rows))
			for i := range want {
				want[i] += scores[i] / 3
			}
		}
		mean, err := Mean(models...)
		require.NoError(t, err)
		require.NoError(t, mean.Validate())
		got := make([]float64, 6)
		require.NoError(t, mean.Score(got, rows))
		assert.InDeltaSlice(t, want, got, 1e-9)
		assert.Len(t, mean.Trees, 6)
		assert.Equal(t, "lambdarank", mean.Objective)
	}
}

func TestMeanRefuses(t *testing.T) {
	_, err := Mean()
	require.ErrorContains(t, err, "no models")
	_, err = Mean(&Ensemble{Features: []Feature{{Name: "a"}}}, &Ensemble{Features: []Feature{{Name: "b"}}})
	require.ErrorContains(t, err, "model 2 has other features")
}
