package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestStopParametersWithoutPatience: without early stopping, its other parameters have no effect.
func TestStopParametersWithoutPatience(t *testing.T) {
	dir := folderWithData(t)
	settings := []string{"stop_metric=ndcg@3", "stop_set=valid_1", "min_delta=0.1"}
	warned := func(args ...string) (warnings int) {
		t.Helper()
		args = append([]string{"train", "data=train.txt", "valid=test.txt"}, append(args, settings...)...)
		messages := succeed(t, dir, args...).stderr
		for _, setting := range settings {
			if strings.Contains(messages, "warning: "+setting) && strings.Contains(messages, "while patience=0") {
				warnings++
			}
		}
		return warnings
	}
	network := []string{"ranker=ranknet", "hidden_layers=4", "epochs=2"}
	assert.Equal(t, 3, warned(fewRows...))
	assert.Zero(t, warned(append(fewRows, "patience=5")...))
	assert.Zero(t, warned("preset=auto", "num_iterations=3"), "which sets patience")
	assert.Equal(t, 3, warned(network...))
	assert.Equal(t, 1, warned(append(network, "schedule=plateau")...), "the schedule watches the metric")
}

// TestSettingsWithoutEffect: metrics without data to evaluate, though a model keeps their convention, and
// rank_xendcg without grades to learn from.
func TestSettingsWithoutEffect(t *testing.T) {
	dir := folderWithData(t)
	writeFile(t, dir, "equal.txt", regexp.MustCompile(`(?m)^\d+`).ReplaceAllString(letorText(40, 1), "1"))
	for _, c := range []struct {
		args     string
		warnings int
	}{
		{"data=train.txt metric=map eval_at=3 metric_convention=lightgbm", 2},
		{"data=train.txt metric=map ranker=ranknet hidden_layers=4 epochs=2", 1},
		{"data=train.txt metric=map eval_at=3 is_provide_training_metric=true", 0},
		{"data=train.txt metric=map eval_at=3 valid=test.txt", 0},
		{"data=equal.txt objective=rank_xendcg", 1}, {"data=train.txt objective=rank_xendcg", 0},
	} {
		args := strings.Fields("train output_model=m.txt verbosity=0 " + c.args)
		assert.Equal(t, c.warnings, strings.Count(succeed(t, dir, args...).stderr, "warning: "), c.args)
	}
}

func TestQuiet(t *testing.T) {
	dir := folderWithData(t)
	assert.Empty(t, succeed(t, dir, append([]string{"train", "data=train.txt", "verbosity=-1",
		"bagging_fraction=0.5"}, fewRows...)...).stderr)
	assert.Contains(t, succeed(t, dir, append([]string{"train", "data=train.txt", "verbosity=0",
		"bagging_fraction=0.5"}, fewRows...)...).stderr,
		"warning: bagging_fraction=0.5 has no effect while bagging_freq=0")
}

// TestInterrupt: the first signal ends training after the current iteration, and the model so far is written.
func TestInterrupt(t *testing.T) {
	for sent, status := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143,
		syscall.SIGHUP: 129} {
		if signal.Ignored(sent) {
			t.Logf("%v is left out: these tests run under nohup, which programs respect", sent)
			continue
		}
		for _, endless := range []string{"num_iterations=100000000 min_data_in_leaf=5 learning_rate=1e-9 " +
			"report=page.html", "ranker=ranknet hidden_layers=8 epochs=100000000"} {
			dir := folderWithData(t)
			args := append([]string{"train", "data=train.txt", "valid=test.txt", "output_model=cut.txt"},
				append(strings.Fields(endless), "calibration=platt")...)
			got, messages := interruptTraining(t, command(t, dir, args...), sent)
			assert.Equal(t, status, got)
			assert.Contains(t, messages, "cancelled")
			assert.Contains(t, messages, "wrote cut.txt")
			assert.Contains(t, messages, "; the model has no probabilities, which lambdamart calibrate can fit")
			assert.Equal(t, strings.Contains(endless, "report="),
				strings.Contains(messages, "report=page.html: not written"), messages)
			assert.Contains(t, succeed(t, dir, "model", "cut.txt").stdout, "features")
		}
	}
}

// interruptTraining sends a signal in the third iteration, and returns the exit status and all messages.
func interruptTraining(t *testing.T, c *exec.Cmd, signal syscall.Signal) (status int, messages string) {
	t.Helper()
	stderr, err := c.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	lines := bufio.NewScanner(stderr)
	var all strings.Builder
	sent := false
	for lines.Scan() {
		all.WriteString(lines.Text() + "\n")
		if !sent && strings.HasPrefix(lines.Text(), "[3/") {
			require.NoError(t, c.Process.Signal(signal))
			sent = true
		}
	}
	require.Error(t, c.Wait())
	return c.ProcessState.ExitCode(), all.String()
}

// TestLightGBMExample: LightGBM's example configuration is accepted unchanged.
func TestLightGBMExample(t *testing.T) {
	folder := os.Getenv("LAMBDAMART_DATA")
	if folder == "" {
		folder = "../../../shared/data"
	}
	folder = filepath.Join(folder, "lightgbm-lambdarank")
	if _, err := os.Stat(filepath.Join(folder, "train.conf")); err != nil {
		t.Skip("LightGBM's lambdarank example is absent; LAMBDAMART_DATA names the folder that holds " +
			"lightgbm-lambdarank/")
	}
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(folder)))
	got := succeed(t, dir, "config=train.conf", "num_trees=5")
	assert.Contains(t, got.stderr, "accepted without effect:")
	assert.Contains(t, got.stdout, "valid_1 (rank.test; 50 queries, 0 without a relevant document)")
	assert.Contains(t, got.stdout, "training (rank.train; 201 queries")
	got = succeed(t, dir, "config=predict.conf")
	assert.Len(t, strings.Fields(got.stdout), 768)
}

// TestParametersWithTheirOnlyValue: a parameter that changes LightGBM's model but is not supported here is
// accepted with its default.
func TestParametersWithTheirOnlyValue(t *testing.T) {
	succeed(t, folderWithData(t), append([]string{"train", "data=train.txt", "scale_pos_weight=1",
		"is_unbalance=false", "reg_sqrt=false"}, fewRows...)...)
}

// TestStoppingNeedsJudgedValidation: validation data on which all models score equally cannot stop training.
func TestStoppingNeedsJudgedValidation(t *testing.T) {
	dir := folderWithData(t)
	writeFile(t, dir, "flat.txt", "0 qid:1 1:1\n0 qid:1 1:2\n0 qid:2 1:3\n")
	args := append([]string{"train", "data=train.txt", "valid=flat.txt", "output_model=flat.model"}, fewRows...)
	got := execute(t, dir, append(args, "early_stopping_round=2")...)
	assert.Equal(t, 1, got.status)
	assert.Contains(t, got.stderr, "valid_1: in none of the queries do the grades of documents differ")
	assert.Contains(t, succeed(t, dir, append(args, "early_stopping_round=0")...).stderr,
		"warning: flat.txt: in none of the queries do the grades of documents differ, so that ranking metrics are "+
			"the same")
	got = execute(t, dir, append(args, "early_stopping_round=2", "metric=ndcg", "stop_metric=map@5")...)
	assert.Equal(t, 1, got.status, "a metric that is evaluated only because it is watched")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "folds", "Fold1"), 0o777))
	for file, content := range map[string]string{"train": readFile(t, dir, "train.txt"),
		"vali": readFile(t, dir, "flat.txt"), "test": readFile(t, dir, "test.txt")} {
		writeFile(t, dir, "folds/Fold1/"+file+".txt", content)
	}
	got = execute(t, dir, "bench", "data=folds", "rankers=lambdamart", "output=out")
	assert.Equal(t, 1, got.status)
	assert.Contains(t, got.stderr, "in none of the queries do the grades of documents differ")
	got = execute(t, dir, "tune", "data=train.txt", "valid=flat.txt", "max_trainings=3", "num_iterations=3")
	assert.Equal(t, 1, got.status)
	assert.Contains(t, got.stderr, "valid_1: in none of the queries do the grades of documents differ")
}

// TestInfiniteValuesAreScored: infinite values are accepted in scoring, in every data format, and compare
// as beyond every threshold. In training they are an error.
func TestInfiniteValuesAreScored(t *testing.T) {
	dir := t.TempDir()
	for name, value := range map[string]string{"finite": "1e300", "infinite": "inf"} {
		var text, table strings.Builder
		table.WriteString("y,qid,zero,a\n")
		for row := range 60 {
			a := fmt.Sprint(row % 6)
			if row == 7 {
				a = value
			}
			fmt.Fprintf(&text, "%d qid:%d 1:%s\n", row%6/2, row/6, a)
			fmt.Fprintf(&table, "%d,%d,0,%s\n", row%6/2, row/6, a)
		}
		writeFile(t, dir, name+".txt", text.String())
		writeFile(t, dir, name+".csv", table.String())
	}
	for _, ending := range []string{".txt", ".csv"} {
		args := append([]string{"train", "output_model=m.txt"}, fewRows...)
		succeed(t, dir, append(args, "data=finite"+ending)...)
		want := succeed(t, dir, "predict", "data=finite"+ending, "input_model=m.txt").stdout
		assert.Equal(t, want, succeed(t, dir, "predict", "data=infinite"+ending, "input_model=m.txt").stdout)
		got := execute(t, dir, append(args, "data=infinite"+ending)...)
		assert.Equal(t, 1, got.status)
		assert.Contains(t, got.stderr, "the value is infinite")
	}
}

// TestHalfGivenIsSaid: initial scores of one set only, and training data that decides early stopping.
func TestHalfGivenIsSaid(t *testing.T) {
	dir := folderWithData(t)
	writeFile(t, dir, "begun.txt", letorText(40, 1))
	writeFile(t, dir, "begun.txt.init", strings.Repeat("0.5\n", 40*12))
	const stops = "which decides when training stops, is the training data"
	for line, want := range map[string]string{
		"data=begun.txt valid=test.txt":                      "test.txt has no initial scores, and the training",
		"data=train.txt valid=begun.txt":                     "begun.txt has initial scores, and the training data",
		"data=train.txt valid=train.txt,test.txt patience=3": "warning: valid_1, " + stops,
		"data=train.txt valid=test.txt,train.txt patience=3": "",
		"data=train.txt valid=train.txt":                     "",
	} {
		args := append([]string{"train", "num_iterations=3", "min_data_in_leaf=5", "output_model=m.txt"},
			strings.Fields(line)...)
		got := succeed(t, dir, args...).stderr
		if want == "" {
			assert.NotContains(t, got, stops, line)
			assert.NotContains(t, got, "initial scores", line)
		}
		assert.Contains(t, got, want, line)
	}
	got := succeed(t, dir, "train", "data=train.txt", "valid=train.txt,test.txt", "patience=2",
		"stop_set=test.txt", "num_iterations=3", "min_data_in_leaf=5")
	assert.Contains(t, got.stderr, "on valid_2 has not risen")
	for line, says := range map[string]bool{"eval data=begun.txt": true, "eval data=train.txt": false,
		"predict data=begun.txt": true, "calibrate data=begun.txt output_model=c.txt": true,
		"explain data=begun.txt": true, "compare model.txt m.txt data=begun.txt": true,
		"refit data=begun.txt output_model=r.txt": false} { // refit begins at them
		args := strings.Fields(line)
		if args[0] != "compare" {
			args = append(args, "input_model=model.txt")
		}
		got := succeed(t, dir, args...).stderr
		const warning = "warning: begun.txt: has initial scores, which are not part of the model"
		assert.Equal(t, says, strings.Contains(got, warning), "%s\n%s", line, got)
	}
}
