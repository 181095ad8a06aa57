package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The commands model and predict read the models of other systems.
func TestModelsOfOthers(t *testing.T) {
	dir := t.TempDir()
	io, err := filepath.Abs("../../io/model")
	require.NoError(t, err)
	for path, want := range map[string]string{
		"lightgbm/testdata/lambdarank.dump": "trees      6",
		"lightgbm/testdata/v2/dart.txt":     "trees      5",
		"xgboost/testdata/1.7.6-ndcg.json":  "trees      5", // one of them is the base score
		"xgboost/testdata/3.2.0-ndcg.ubj":   "trees      5",
		"xgboost/testdata/3.2.0-ndcg.dump0": "trees      4",
		"ranklib/testdata/mart.txt":         "objective  regression",
		"quickrank/testdata/example.xml":    "26.7%  Column_3",
	} {
		assert.Contains(t, succeed(t, dir, "model", filepath.Join(io, path)).stdout, want, path)
	}
	theirs, err := os.ReadFile(filepath.Join(io, "ranklib/testdata/lambdamart.scores"))
	require.NoError(t, err)
	mine := succeed(t, dir, "predict", "data="+filepath.Join(io, "ranklib/testdata/rows.txt"), "input_model="+filepath.Join(io, "ranklib/testdata/lambdamart.txt")).stdout
	scores := strings.Fields(mine)
	lines := strings.Split(strings.TrimSpace(string(theirs)), "\n")
	require.Len(t, scores, len(lines))
	for i, line := range lines {
		want, err := strconv.ParseFloat(strings.Fields(line)[2], 64)
		require.NoError(t, err)
		got, err := strconv.ParseFloat(scores[i], 64)
		require.NoError(t, err)
		require.InDelta(t, want, got, 1e-6)
	}
}
