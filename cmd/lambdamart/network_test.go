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
}

// TestNaNInANetwork: the value is shown at its line wherever data is read for a network.
func TestNaNInANetwork(t *testing.T) {
	dir := folderWithData(t)
	succeed(t, dir, append([]string{"train", "ranker=listnet", "data=train.txt"}, fewEpochs...)...)
	writeFile(t, dir, "nan.txt", "1 qid:7 1:1\n\n0 qid:7 1:1 2:nan\n")
	for _, args := range []string{"train ranker=listnet data=nan.txt output_model=x.nn",
		"train ranker=listnet data=train.txt valid=nan.txt output_model=x.nn",
		"predict data=nan.txt input_model=model.nn", "eval data=nan.txt input_model=model.nn",
		"calibrate data=nan.txt input_model=model.nn output_model=x.nn"} {
		got := execute(t, dir, strings.Fields(args)...)
		assert.Contains(t, got.stderr, "nan.txt:3 (query 7): feature 2 (Column_2) of row 1 is NaN", args)
	}
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
		again := len(kinds) > 0 && kinds[len(kinds)-1] == e.Event
		if !again && e.Event != "progress" { // which a busy machine may have anywhere
			kinds = append(kinds, e.Event)
		}
	}
	assert.Equal(t, []string{"data", "report", "iteration", "stopped", "best", "saved"}, kinds)
}
