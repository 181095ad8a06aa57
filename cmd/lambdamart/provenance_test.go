package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/param"
)

// TestModelsTrainAgain: training with the parameters stored in a model gives the same bytes, for trees and
// networks.
func TestModelsTrainAgain(t *testing.T) {
	dir := folderWithData(t)
	run := func(line string) outcome { return execute(t, dir, strings.Fields(line)...) }
	for name, args := range map[string]string{
		"trees": "objective=rank_xendcg num_leaves=4 min_data_in_leaf=5 num_trees=7 eval_at=3,5 " +
			"monotone_constraints=Column_2:1 patience=2 valid=test.txt",
		"network": "ranker=listnet epochs=2 hidden_layers=4 valid=test.txt",
	} {
		data := " data=train.txt"
		if strings.Contains(args, "valid=") {
			data += " valid=test.txt"
		}
		assert.Zero(t, run("train output_model=first.txt data=train.txt "+args).status)
		got := run("train config=first.txt output_model=again.txt num_threads=1" + data)
		assert.Zero(t, got.status, got.stderr)
		assert.Equal(t, readFile(t, dir, "first.txt"), readFile(t, dir, "again.txt"), name)
		assert.Contains(t, run("model again.txt").stdout, "  rows=480\n")
	}
	assert.Contains(t, run("model again.txt").stdout, "trained with\n")
}

// TestOtherModelsDoNotTrainAgain: a model that its parameters do not reproduce is an error that says so.
func TestOtherModelsDoNotTrainAgain(t *testing.T) {
	dir := folderWithData(t)
	run := func(line string) outcome { return execute(t, dir, strings.Fields(line)...) }
	run("train data=train.txt num_leaves=4 min_data_in_leaf=5 num_trees=5")
	run("model model.txt num_iteration_predict=2 output=edited.txt")
	run("refit data=test.txt input_model=model.txt output_model=fitted.txt")
	run("train data=train.txt num_leaves=4 min_data_in_leaf=5 num_trees=5 input_model=model.txt " +
		"output_model=on.txt")
	writeFile(t, dir, "bare.txt", withoutParameters(readFile(t, dir, "model.txt")))
	for model, want := range map[string]string{
		"edited.txt": "the model was made by model, so that its parameters do not make it again",
		"fitted.txt": "the model was made by refit",
		"on.txt":     "give input_model=FILE",
		"bare.txt":   "the model does not list its parameters",
	} {
		got := run("train data=train.txt output_model=new.txt config=" + model)
		assert.Equal(t, 2, got.status, model)
		assert.Contains(t, got.stderr, want)
	}
	assert.Zero(t, run("train data=train.txt config=on.txt input_model=model.txt output_model=new.txt").status)
	assert.Equal(t, readFile(t, dir, "on.txt"), readFile(t, dir, "new.txt"))
}

// TestLinesForLightGBM: a parameter gets its own line in a model file if and only if LightGBM has a
// parameter of that name.
func TestLinesForLightGBM(t *testing.T) {
	names, _ := readPairs(t, "testdata/lightgbm_aliases.txt")
	p := booster.DefaultParams()
	for _, row := range p.Table() {
		if row.SameModel || row.File != param.NoFile {
			continue
		}
		text := provenance.Format([]param.Setting{{Name: row.Name, Value: "1"}}, nil)
		assert.Equal(t, slices.Contains(names, row.Name), strings.HasPrefix(text, "["+row.Name+": "), row.Name)
	}
}
