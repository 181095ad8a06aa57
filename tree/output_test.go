package tree_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/tree"
)

// TestPredictions: the formulas are those of ConvertOutput of LightGBM's objectives. test/check_python.py
// compares them with LightGBM.
func TestPredictions(t *testing.T) {
	for objective, of := range map[string]func(s float64) float64{
		"":                     func(s float64) float64 { return s },
		"lambdarank":           func(s float64) float64 { return s },
		"binary sigmoid:2":     func(s float64) float64 { return 1 / (1 + math.Exp(-2*s)) },
		"binary sigmoid:1":     func(s float64) float64 { return 1 / (1 + math.Exp(-s)) },
		"cross_entropy":        func(s float64) float64 { return 1 / (1 + math.Exp(-s)) },
		"cross_entropy_lambda": func(s float64) float64 { return math.Log1p(math.Exp(s)) },
		"poisson":              math.Exp,
		"regression sqrt":      func(s float64) float64 { return math.Copysign(s*s, s) },
		"regression":           func(s float64) float64 { return s },
	} {
		for _, sum := range []float64{-3, -0.25, 0, 1.5, 800} {
			e := &tree.Ensemble{Objective: objective, Features: make([]tree.Feature, 1),
				Trees: []tree.Tree{{LeafValue: []float64{sum}, LeafWeight: []float64{0}, LeafCount: []int64{0}}}}
			s, err := tree.Compile(e.Predictions())
			require.NoError(t, err)
			plain, fast := make([]float64, 9), make([]float64, 9)
			require.NoError(t, e.Predictions().Score(plain, make([]float64, 9)))
			require.NoError(t, s.Score(fast, make([]float64, 9)))
			assert.Equal(t, plain, fast)
			if want := of(sum); math.IsInf(want, 1) {
				assert.Equal(t, want, plain[0], objective)
			} else {
				assert.InEpsilon(t, 2+want, 2+plain[0], 1e-14, objective)
			}
			raw, err := e.ScoreRow([]float64{0})
			require.NoError(t, err)
			assert.Equal(t, sum, raw)
			_, err = e.Probabilities()
			assert.Equal(t, objective == "cross_entropy" || objective[:min(6, len(objective))] == "binary", err == nil)
		}
	}
}
