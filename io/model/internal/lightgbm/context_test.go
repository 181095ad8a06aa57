package lightgbm_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/dmitryikh/leaves"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/querycontext"
	"github.com/lambdamart/lambdamart/io/model/internal/lightgbm"
	"github.com/lambdamart/lambdamart/test/aid"
	"github.com/lambdamart/lambdamart/tree"
)

// withContext returns a model of two raw features and the context rank of both.
func withContext(parameters string) *tree.Ensemble {
	return &tree.Ensemble{
		Features: []tree.Feature{{Name: "a"}, {Name: "b"}, {Name: "rank(a)"}, {Name: "rank(b)"}},
		Trees: []tree.Tree{{LeafValue: []float64{1}, LeafWeight: []float64{1},
			LeafCount: []int64{1}, Shrinkage: 1}},
		Context: &querycontext.Columns{Raw: 2, List: []querycontext.Column{{Kind: querycontext.Rank, Feature: 0},
			{Kind: querycontext.Rank, Feature: 1}}},
		Parameters: parameters,
	}
}

func TestContextIsKept(t *testing.T) {
	for _, parameters := range []string{"", "[max_bin: 255]\n[seed: 0]\n"} {
		e := withContext(parameters)
		var out bytes.Buffer
		require.NoError(t, lightgbm.Write(&out, e))
		assert.Contains(t, out.String(), "\nparameters:\n"+parameters+"[query_context_columns: 2;rank=0-1]\nend "+
			"of parameters\n")
		back, err := lightgbm.Read(out.Bytes())
		require.NoError(t, err)
		assert.Equal(t, e.Context, back.Context)
		assert.Equal(t, parameters, back.Parameters)
		var again bytes.Buffer
		require.NoError(t, lightgbm.Write(&again, back))
		assert.Equal(t, out.String(), again.String())

		windows, err := lightgbm.Read([]byte(strings.ReplaceAll(out.String(), "\n", "\r\n")))
		require.NoError(t, err)
		assert.Equal(t, e.Context, windows.Context)
	}
}

// TestCalibrationIsKept: the model text has it in a line of the parameters, which LightGBM and leaves skip.
func TestCalibrationIsKept(t *testing.T) {
	e := withContext("[seed: 0]\n")
	e.Context = nil
	plain, calibrated := bytes.Buffer{}, bytes.Buffer{}
	require.NoError(t, lightgbm.Write(&plain, e))
	e.Calibration = &tree.Calibration{Kind: tree.Isotonic, Event: tree.Event{Grade: 2},
		Scores: []float64{-1.5, 0, 1e-300}, Probabilities: []float64{0.1, 0.25, 0.5}}
	require.NoError(t, lightgbm.Write(&calibrated, e))
	const line = "[calibration: isotonic;2;-1.5,0,1e-300;0.1,0.25,0.5]"
	assert.Equal(t, plain.String(), strings.Replace(calibrated.String(), line+"\n", "", 1))
	back, err := lightgbm.Read(calibrated.Bytes())
	require.NoError(t, err)
	assert.Equal(t, e.Calibration, back.Calibration)
	assert.Equal(t, "[seed: 0]\n", back.Parameters)
	_, err = leaves.LGEnsembleFromFile(aid.File(t, "model.txt", calibrated.Bytes()), false)
	require.NoError(t, err)
}
