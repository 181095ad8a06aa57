package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTrainingGoesOnFromAModel(t *testing.T) {
	dir := folderWithData(t)
	train := func(args string) outcome {
		return succeed(t, dir, strings.Fields(
			"train data=train.txt valid=test.txt num_leaves=4 min_data_in_leaf=5 "+args)...)
	}
	whole := train("num_iterations=10 output_model=whole.txt")
	train("num_iterations=6 output_model=part.txt")
	got := train("num_iterations=4 input_model=part.txt output_model=parts.txt")
	assert.Equal(t, withoutParameters(readFile(t, dir, "whole.txt")),
		withoutParameters(readFile(t, dir, "parts.txt")))
	assert.Contains(t, got.stderr,
		"continuing from part.txt, which has 6 trees; parts.txt has them and the new ones")
	_, wholeMetrics, _ := strings.Cut(whole.stdout, "valid_1")
	_, metrics, _ := strings.Cut(got.stdout, "valid_1")
	assert.Equal(t, wholeMetrics, metrics)

	for _, target := range []string{"xgboost", "ranklib"} {
		succeed(t, dir, "export", "part.txt", "to="+target, "output=part."+target)
		train("num_iterations=2 input_model=part." + target + " output_model=on.txt")
		assert.Contains(t, succeed(t, dir, "model", "on.txt").stdout, "features ")
	}
	writeFile(t, dir, "on.conf", "task = train\ndata = train.txt\ninput_model = part.txt\nnum_trees = "+
		"4\nnum_leaves = 4\nmin_data = 5\noutput_model = conf.txt\n")
	succeed(t, dir, "config=on.conf")
	assert.Equal(t, withoutParameters(readFile(t, dir, "whole.txt")),
		withoutParameters(readFile(t, dir, "conf.txt")))
}

func TestTrainingsThatCannotGoOn(t *testing.T) {
	dir := folderWithData(t)
	succeed(t, dir, append([]string{"train", "data=train.txt"}, fewRows...)...)
	succeed(t, dir, "train", "data=train.txt", "ranker=ranknet", "hidden_layers=2", "epochs=1",
		"output_model=model.nn")
	succeed(t, dir, "bin", "data=train.txt", "output=train.bin")
	writeFile(t, dir, "narrow.txt", strings.Repeat("1 qid:1 1:1\n0 qid:1 1:2\n", 50))
	refuseAll(t, dir, []refusal{
		{1, "train data=train.txt input_model=absent.txt", "absent.txt"},
		{1, "train data=train.txt input_model=train.txt output_model=m.txt", "not a model"},
		{2, "train data=train.txt input_model=model.nn output_model=m.txt", "input_model=model.nn is a network"},
		{2, "train data=train.txt input_model=model.txt", "input_model=model.txt would be overwritten"},
		{2, "train data=train.bin input_model=model.txt output_model=m.txt",
			"train.bin: a training run that continues from a model (input_model)"},
		{1, "train data=narrow.txt input_model=model.txt output_model=m.txt",
			"narrow.txt: the models have different features: the model uses Column_2"},
	}...)
	require.NoFileExists(t, dir+"/m.txt")
}

// TestSavedFeatureImportance: model files list feature importance of the requested type, whether train
// writes them, with or without an input model, or refit.
func TestSavedFeatureImportance(t *testing.T) {
	dir := folderWithData(t)
	const line = "[saved_feature_importance_type: 1]"
	write := func(output string, args ...string) string {
		succeed(t, dir, append(append(args, "data=train.txt", "output_model="+output), fewRows...)...)
		return readFile(t, dir, output)
	}
	trained := write("model.txt", "train")
	assert.NotContains(t, trained, line)
	byGain := write("gain.txt", "train", "saved_feature_importance_type=1")
	assert.Contains(t, byGain, line)
	trees, _, _ := strings.Cut(trained, "feature_importances:")
	again, _, _ := strings.Cut(byGain, "feature_importances:")
	assert.Equal(t, trees, again)
	assert.Contains(t, write("on.txt", "train", "saved_feature_importance_type=1", "input_model=model.txt"),
		line)
	assert.NotContains(t, write("on.txt", "train", "input_model=gain.txt"), line)
	succeed(t, dir, "refit", "data=train.txt", "input_model=model.txt", "output_model=fitted.txt",
		"saved_feature_importance_type=1")
	assert.Contains(t, readFile(t, dir, "fitted.txt"), line)
	assert.Equal(t, 2, execute(t, dir, "train", "data=train.txt", "saved_feature_importance_type=2").status)
}

func TestRefit(t *testing.T) {
	dir := folderWithData(t)
	succeed(t, dir, append([]string{"train", "data=train.txt"}, fewRows...)...)
	succeed(t, dir, "refit", "data=test.txt", "input_model=model.txt", "output_model=same.txt",
		"refit_decay_rate=1")
	assert.Equal(t, withoutParameters(readFile(t, dir, "model.txt")),
		withoutParameters(readFile(t, dir, "same.txt")))
	succeed(t, dir, "refit", "data=train.txt", "input_model=model.txt", "output_model=again.txt",
		"refit_decay_rate=0")
	assert.Equal(t, withoutParameters(readFile(t, dir, "model.txt")),
		withoutParameters(readFile(t, dir, "again.txt")), "the data that it was trained on")
	succeed(t, dir, "task=refit", "data=test.txt", "input_model=model.txt", "output_model=fitted.txt",
		"sigmoid=2")
	assert.NotEqual(t, readFile(t, dir, "model.txt"), readFile(t, dir, "fitted.txt"))
	for _, c := range []struct {
		args, want string
		status     int
	}{
		{"data=test.txt input_model=model.txt refit_decay_rate=1.5", "refit_decay_rate=1.5: must be", 2},
		{"data=test.txt output_model=m.txt", "input_model is missing", 2},
		{"data=test.txt input_model=model.txt", "would be overwritten", 2},
		{"data=test.txt input_model=model.txt output_model=m.txt objective=rank_xendcg lambdarank_norm=false",
			"lambdarank_norm=false has no effect", 0},
	} {
		got := execute(t, dir, append([]string{"refit"}, strings.Fields(c.args)...)...)
		assert.Equal(t, c.status, got.status, "%s\n%s", c.args, got.stderr)
		assert.Contains(t, got.stderr, c.want, c.args)
	}
}
