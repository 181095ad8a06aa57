package main

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart"
)

// fewEpochs are parameters for training a small network on the small data.
var fewEpochs = []string{"hidden_layers=8", "dropout=0", "epochs=5", "lr=0.01"}

// TestCalibratedNetwork: calibration in training and by calibrate are the same, and keep scores.
func TestCalibratedNetwork(t *testing.T) {
	dir := folderWithData(t)
	args := append([]string{"train", "ranker=listnet", "data=train.txt", "valid=test.txt"}, fewEpochs...)
	succeed(t, dir, append(args, "output_model=plain.nn")...)
	got := succeed(t, dir, append(args, "calibration=platt", "calibration_label=grade>=2")...)
	assert.Contains(t, got.stderr, "probability of grade>=2 from 120 documents: platt")
	succeed(t, dir, "calibrate", "data=test.txt", "input_model=plain.nn", "output_model=later.nn",
		"calibration=platt", "calibration_label=grade>=2")
	assert.Equal(t, readFile(t, dir, "model.nn"), readFile(t, dir, "later.nn"))
	predict := func(model string, more ...string) []string {
		return strings.Fields(succeed(t, dir, append([]string{"predict", "data=test.txt", "input_model=" + model},
			more...)...).stdout)
	}
	scores := predict("plain.nn")
	assert.Equal(t, scores, predict("model.nn"))
	m, err := lambdamart.ReadModel(filepath.Join(dir, "model.nn"))
	require.NoError(t, err)
	for i, text := range predict("model.nn", "probability=true") {
		score, _ := strconv.ParseFloat(scores[i], 64)
		p, _ := strconv.ParseFloat(text, 64)
		require.Equal(t, lambdamart.CalibrationOf(m).Probability(score), p)
	}
	assert.Contains(t, succeed(t, dir, "eval", "data=test.txt", "input_model=model.nn", "metric=brier").stdout,
		"brier")
	about := succeed(t, dir, "model", "model.nn").stdout
	assert.Contains(t, about, "of grade>=2, by platt calibration\n")
	assert.NotContains(t, about, "calibrated=")
	refuseAll(t, dir, refusal{1, "predict data=test.txt input_model=plain.nn probability=true",
		"plain.nn: the scores of this model are not probabilities"})
}

func TestEventsOfANetwork(t *testing.T) {
	dir := folderWithData(t)
	got := succeed(t, dir, append([]string{"train", "ranker=mse", "data=train.txt", "valid=test.txt",
		"--log-json"}, fewEpochs...)...)
	var kinds []string
	for line := range strings.Lines(got.stderr) {
		var e struct {
			Event   string
			Network struct{ Loss *float64 }
		}
		require.NoError(t, json.Unmarshal([]byte(line), &e), line)
		if e.Event == "iteration" {
			require.NotNil(t, e.Network.Loss)
		}
		if len(kinds) == 0 || kinds[len(kinds)-1] != e.Event {
			kinds = append(kinds, e.Event)
		}
	}
	assert.Equal(t, []string{"data", "report", "iteration", "stopped", "best", "saved"}, kinds)
}

func TestWrongUsesOfNetworks(t *testing.T) {
	dir := trained(t)
	succeed(t, dir, append([]string{"train", "ranker=mse", "data=train.txt"}, fewEpochs...)...)
	whole := readFile(t, dir, "model.nn")
	writeFile(t, dir, "cut.nn", whole[:len(whole)-7])
	writeFile(t, dir, "changed.nn", whole[:len(whole)-20]+"x"+whole[len(whole)-19:])
	writeFile(t, dir, "trees.conf", "data = train.txt\nnum_leaves = 7\n")
	writeFile(t, dir, "nan.txt", "1 qid:1 1:1 2:nan\n0 qid:1 1:2 2:3\n")
	refuseAll(t, dir, []refusal{
		{2, "train data=train.txt ranker=ranknt", "ranker=ranknt: must be one of lambdamart, ranknet"},
		{2, "train data=train.txt ranker=ranknet num_leaves=3",
			"num_leaves=3: a parameter of trees, but ranker=ranknet is a network"},
		{2, "train data=train.txt ranker=ranknet n_estimators=3",
			"n_estimators=3: a parameter of trees, but ranker=ranknet is a network; set epochs="},
		{2, "train data=train.txt ranker=ranknet query_context=rank",
			"a network; write data with these columns by lambdamart transform"},
		{2, "train config=trees.conf ranker=ranknet", "num_leaves=7 (trees.conf:2): a parameter of trees"},
		{2, "train data=train.txt epochs=3",
			"epochs=3: a parameter of networks, but ranker=lambdamart is trees; choose a network"},
		{2, "train data=train.txt ranker=ranknet epoch=3", "epoch=3: unknown parameter; did you mean epochs?"},
		{2, "train data=train.txt ranker=ranknet dropout=1", "dropout=1: must be"},
		{2, "train data=train.txt ranker=ranknet patience=3", "patience=3 needs a validation set"},
		{2, "train data=train.txt ranker=ranknet preset=big",
			"preset=big: must be one of none, auto, best, fast, 32-16"},
		{1, "train data=train.txt ranker=mse learning_rate=1e30 output_model=x.nn", "exploded"},
		{1, "train data=nan.txt ranker=ranknet output_model=x.nn", "NaN"},
		{1, "predict data=test.txt input_model=cut.nn", "cut.nn: nnbaseline: "},
		{1, "predict data=test.txt input_model=changed.nn", "damaged"},
		{1, "predict data=nan.txt input_model=model.nn", "feature 2 (Column_2) of row 0 is NaN"},
		{2, "predict data=test.txt input_model=model.nn predict_contrib=true",
			"predict_contrib is for trees; this model is a network (mse)"},
		{2, "eval data=test.txt input_model=model.nn num_iteration_predict=3",
			"num_iteration_predict is for trees"},
	}...)
	assert.NoFileExists(t, filepath.Join(dir, "x.nn"))
}
