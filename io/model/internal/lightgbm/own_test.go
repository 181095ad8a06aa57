package lightgbm_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/dmitryikh/leaves"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/querycontext"
	"github.com/lambdamart/lambdamart/io/model/internal/engine"
	"github.com/lambdamart/lambdamart/io/model/internal/lightgbm"
	"github.com/lambdamart/lambdamart/test/aid"
	"github.com/lambdamart/lambdamart/tree"
)

// TestOwnLinesAreKept: what LightGBM's text lacks is in a line of the parameters, which LightGBM and leaves
// skip.
func TestOwnLinesAreKept(t *testing.T) {
	for line, own := range map[string]tree.Ensemble{
		"": {},
		"[query_context_columns: 2;rank=0-1]\n": {Context: &querycontext.Columns{Raw: 2,
			List: []querycontext.Column{{Kind: querycontext.Rank, Feature: 0},
				{Kind: querycontext.Rank, Feature: 1}}}},
		"[calibration: isotonic;2;-1.5,0,1e-300;0.1,0.25,0.5]\n": {Calibration: &tree.Calibration{
			Kind: tree.Isotonic, Event: tree.Event{Grade: 2}, Scores: []float64{-1.5, 0, 1e-300},
			Probabilities: []float64{0.1, 0.25, 0.5}}},
		"[category_features: 1]\n":   {Dictionaries: map[int][]string{1: {"b,c", `say "x"`, "<ü>"}}},
		"[category_features: 1,2]\n": {Dictionaries: map[int][]string{1: {"a"}, 2: {"x", "7"}}},
	} {
		for _, parameters := range []string{"", "[max_bin: 255]\n[seed: 0]\n"} {
			e := own
			e.Parameters, e.Trees = parameters, []tree.Tree{engine.Constant(1)}
			e.Features = []tree.Feature{{Name: "a", Range: "[0:1]"}, {Name: "b", Range: "-1:0:1"},
				{Name: "rank(a)", Range: "-1:3:7"}, {Name: "rank(b)", Range: "none"}}
			var out, again bytes.Buffer
			require.NoError(t, lightgbm.Write(&out, &e))
			if kept := parameters + line; kept != "" {
				assert.Contains(t, out.String(), "\nparameters:\n"+kept+"end of parameters\n")
			}
			for _, end := range []string{"\n", "\r\n"} {
				back, err := lightgbm.Read([]byte(strings.ReplaceAll(out.String(), "\n", end)))
				require.NoError(t, err, line)
				assert.Equal(t, []any{e.Context, e.Calibration, e.Dictionaries, e.Features, e.Parameters},
					[]any{back.Context, back.Calibration, back.Dictionaries, back.Features, back.Parameters}, line)
				again.Reset()
				require.NoError(t, lightgbm.Write(&again, back))
				assert.Equal(t, out.String(), again.String(), line)
			}
			_, err := leaves.LGEnsembleFromFile(aid.File(t, "model.txt", out.Bytes()), false)
			require.NoError(t, err, line)
		}
	}
}
