package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rankTrain trains with query context in a folder made by folderWithData, and returns the model's text.
func rankTrain(t *testing.T, dir, output string, more ...string) string {
	t.Helper()
	succeed(t, dir, append(append([]string{"train", "output_model=" + output, "query_context=rank,zscore,count"},
		fewRows...), more...)...)
	return readFile(t, dir, output)
}

// withoutQueries removes the query ids and the comments of LETOR text.
func withoutQueries(text string) string {
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		line, _, _ = strings.Cut(line, " #")
		words := strings.Fields(line)
		b.WriteString(strings.Join(append(words[:1], words[2:]...), " ") + "\n")
	}
	return b.String()
}

// TestContextOfOtherFeatures: data with other features than the training data still gets the model's columns.
func TestContextOfOtherFeatures(t *testing.T) {
	dir := folderWithData(t)
	rankTrain(t, dir, "model.txt", "data=train.txt")
	want := succeed(t, dir, "predict", "data=test.txt", "input_model=model.txt").stdout
	text := readFile(t, dir, "test.txt")
	writeFile(t, dir, "more.txt", strings.ReplaceAll(text, " 4:1", " 4:1 9:3 23:-1"))
	writeFile(t, dir, "fewer.txt", strings.ReplaceAll(text, " 4:1", ""))
	more := succeed(t, dir, "predict", "data=more.txt", "input_model=model.txt")
	assert.Equal(t, want, more.stdout)
	assert.Contains(t, more.stderr, "the data has columns up to 23, the model knows them up to 4")
	assert.Equal(t, want, succeed(t, dir, "predict", "data=fewer.txt", "input_model=model.txt").stdout,
		"feature 4 is constant")

	plain := rankTrain(t, dir, "m.txt", "data=train.txt", "valid=more.txt,fewer.txt")
	assert.Equal(t, withoutParameters(readFile(t, dir, "model.txt")), withoutParameters(plain))
}

// TestContextOfBinnedData: a model of binned data records the query context that bin was asked for, and so is
// the same as one of text.
func TestContextOfBinnedData(t *testing.T) {
	dir := folderWithData(t)
	for _, features := range []string{"", "1-2,4"} {
		asked := []string{"data=train.txt", "query_context=rank,count", "query_context_features=" + features}
		succeed(t, dir, append([]string{"bin", "output=train.bin"}, asked...)...)
		for _, args := range [][]string{append(asked, "output_model=text.txt"),
			{"data=train.bin", "output_model=bins.txt"}} {
			succeed(t, dir, append(append([]string{"train"}, fewRows...), args...)...)
		}
		model := readFile(t, dir, "bins.txt")
		assert.Contains(t, model, "query_context=rank,count; query_context_features="+features+";")
		assert.Equal(t, readFile(t, dir, "text.txt"), model)
		succeed(t, dir, append([]string{"train", "data=train.txt", "input_model=bins.txt"}, fewRows...)...)
		assert.Contains(t, readFile(t, dir, "model.txt"), "query_context=rank,count; ", "a model that goes on")
	}
}

// TestTransform: scoring the output of transform, with the context columns as ordinary features, gives the
// model's scores.
func TestTransform(t *testing.T) {
	dir := folderWithData(t)
	rankTrain(t, dir, "model.txt", "data=train.txt")
	want := succeed(t, dir, "predict", "data=test.txt", "input_model=model.txt").stdout
	for output, columns := range map[string]string{"wide.txt": "",
		"wide.csv": "label_column=name:label group_column=name:qid", "wide.tsv": "group_column=name:qid",
		"wide.parquet": ""} {
		succeed(t, dir, "transform", "data=test.txt", "input_model=model.txt", "output="+output)
		args := append([]string{"predict", "data=" + output, "input_model=model.txt", "context=precomputed"},
			strings.Fields(columns)...)
		assert.Equal(t, want, succeed(t, dir, args...).stdout, output)
		args[0] = "model"
		succeed(t, dir, append(args, "report=page.html")...)
		assert.Contains(t, readFile(t, dir, "page.html"), output)
	}
	asked := succeed(t, dir, "transform", "data=test.txt", "query_context=rank,zscore,count", "output=-").stdout
	assert.Equal(t, asked, readFile(t, dir, "wide.txt"), "the model's columns are those that were asked for")
	assert.Contains(t, readFile(t, dir, "wide.txt"), "qid:1000 1:")
	assert.Contains(t, readFile(t, dir, "wide.txt"), "# docid = doc-1000-0\n")

	succeed(t, dir, "transform", "data=test.txt", "input_model=model.txt", "output=for-lightgbm.txt",
		"output_format=lightgbm")
	assert.NotContains(t, readFile(t, dir, "for-lightgbm.txt"), "qid")
	assert.Equal(t, strings.Repeat("12\n", 10), readFile(t, dir, "for-lightgbm.txt.query"))
	assert.Equal(t, want, succeed(t, dir, "predict", "data=for-lightgbm.txt", "input_model=model.txt").stdout,
		"raw features are there too")

	succeed(t, dir, "transform", "data=train.txt", "query_context=rank,zscore,count", "output=wide-train.txt")
	succeed(t, dir, append([]string{"train", "data=wide-train.txt", "output_model=precomputed.txt"},
		fewRows...)...)
	assert.Equal(t, want, succeed(t, dir, "predict", "data=wide.txt", "input_model=precomputed.txt").stdout,
		"training on the columns is the same")

	weights := strings.Repeat("0.5\n1\n", 60)
	writeFile(t, dir, "test.txt.weight", weights)
	writeFile(t, dir, "test.txt.position", strings.Repeat("top\n", 120))
	succeed(t, dir, "transform", "data=test.txt", "query_context=rank", "output=weighted.txt")
	assert.Equal(t, weights, readFile(t, dir, "weighted.txt.weight"))
	assert.Equal(t, strings.Repeat("top\n", 120), readFile(t, dir, "weighted.txt.position"))
	require.NoError(t, os.Remove(dir+"/test.txt.weight"))
	got := execute(t, dir, "transform", "data=test.txt", "query_context=rank", "output=weighted.txt")
	assert.Equal(t, 2, got.status)
	assert.Contains(t, got.stderr, "weighted.txt.weight exists and would be read with the output")

	writeFile(t, dir, "returns.txt", "0 qid:1 1:1\n\n\n0 qid:2 1:1\n\n0 qid:1 1:1\n")
	got = execute(t, dir, "predict", "data=returns.txt", "input_model=model.txt")
	assert.Contains(t, got.stderr, "returns.txt:6:3: \"qid:1\": the rows of a query are not consecutive")
}

// TestContextInExports: columns that are computed before, and source that computes them.
func TestContextInExports(t *testing.T) {
	dir := folderWithData(t)
	rankTrain(t, dir, "model.txt", "data=train.txt")
	warned := succeed(t, dir, append([]string{"train", "data=train.txt", "query_context_features=1",
		"output_model=warned.txt"}, fewRows...)...)
	assert.Contains(t, warned.stderr, "query_context_features=1 has no effect without query_context")
	succeed(t, dir, "export", "model.txt", "to=onnx", "output=m.onnx", "context=precomputed")
	succeed(t, dir, "export", "model.txt", "to=lightgbm", "output=m.lgb", "context=precomputed")
	assert.NotContains(t, readFile(t, dir, "m.lgb"), "query_context_columns")
	for _, to := range []string{"go", "c", "java"} {
		succeed(t, dir, "export", "model.txt", "to="+to, "output=m."+to, "vectors=50")
		got := execute(t, dir, "predict", "data=test.txt", "input_model=m."+to, "output_result=scores")
		assert.Equal(t, exitFailure, got.status)
		assert.Contains(t, got.stderr, "source is written and not read: give the model that it was exported from")
		writeFile(t, dir, "names.tsv", "Column_0 zero\nColumn_1 one\nColumn_2 two\nColumn_3 three\nColumn_4 four\n")
		succeed(t, dir, "export", "model.txt", "to="+to, "output=named", "features=names.tsv", "vectors=50")
		writeFile(t, dir, "names.tsv", "rank(Column_1) one\n")
		refused := execute(t, dir, "export", "model.txt", "to="+to, "output=named", "features=names.tsv")
		assert.Contains(t, refused.stderr, `names.tsv:1: "rank(Column_1)" is query context`)
		succeed(t, dir, "export", "model.txt", "to="+to, "output=m."+to, "context=precomputed")
	}
	damaged := strings.Replace(readFile(t, dir, "model.txt"), "5;rank=1-4", "5;rank=1-3", 1)
	writeFile(t, dir, "damaged.txt", damaged)
	got := execute(t, dir, "predict", "data=test.txt", "input_model=damaged.txt")
	assert.Equal(t, 1, got.status)
	assert.Contains(t, got.stderr, "query_context_columns")
	line := strings.Count(damaged[:strings.Index(damaged, "[query_context")], "\n") + 1
	assert.Contains(t, got.stderr, fmt.Sprintf("line %d", line))
}

// TestContextOfModelsThatGoOn: models with query context can be continued, refitted and merged; a different
// context is refused.
func TestContextOfModelsThatGoOn(t *testing.T) {
	dir := folderWithData(t)
	want := rankTrain(t, dir, "whole.txt", "data=train.txt")
	succeed(t, dir, "train", "data=train.txt", "output_model=half.txt", "query_context=rank,zscore,count",
		"num_leaves=4", "min_data_in_leaf=5", "num_iterations=4")
	succeed(t, dir, "train", "data=train.txt", "valid=test.txt", "input_model=half.txt", "output_model=m.txt",
		"num_leaves=4", "min_data_in_leaf=5", "num_iterations=6")
	assert.Equal(t, withoutParameters(want), withoutParameters(readFile(t, dir, "m.txt")),
		"the context is that of the model")

	got := execute(t, dir, "train", "data=train.txt", "input_model=half.txt", "output_model=m.txt",
		"query_context=rank")
	assert.Equal(t, 1, got.status)
	assert.Contains(t, got.stderr, "other columns than those of the model")
	succeed(t, dir, append([]string{"train", "data=train.txt", "output_model=plain.txt"}, fewRows...)...)
	succeed(t, dir, append([]string{"train", "data=train.txt", "input_model=plain.txt", "output_model=m.txt",
		"query_context=rank"}, fewRows...)...)
	assert.Contains(t, readFile(t, dir, "m.txt"), "[query_context_columns: 5;rank=1-4]")
	succeed(t, dir, "predict", "data=test.txt", "input_model=m.txt")

	succeed(t, dir, "refit", "data=train.txt", "input_model=whole.txt", "output_model=m.txt",
		"refit_decay_rate=1")
	scores := succeed(t, dir, "predict", "data=test.txt", "input_model=whole.txt").stdout
	assert.Equal(t, scores, succeed(t, dir, "predict", "data=test.txt", "input_model=m.txt").stdout)
	succeed(t, dir, "transform", "data=train.txt", "input_model=whole.txt", "output=wide.txt")
	succeed(t, dir, "export", "whole.txt", "to=lightgbm", "context=precomputed", "output=precomputed.txt")
	succeed(t, dir, "refit", "data=train.txt", "input_model=whole.txt", "output_model=m.txt",
		"refit_decay_rate=0.3")
	succeed(t, dir, "refit", "data=wide.txt", "input_model=precomputed.txt", "output_model=p.txt",
		"refit_decay_rate=0.3")
	assert.Equal(t, withoutParameters(readFile(t, dir, "m.txt")), withoutParameters(readFile(t, dir, "p.txt")),
		"fitted on the columns it is the same")

	got = execute(t, dir, "model", "whole.txt", "join=precomputed.txt", "output=m.txt")
	assert.Equal(t, 1, got.status)
	assert.Contains(t, got.stderr, "different query context")
	succeed(t, dir, "model", "whole.txt", "join=half.txt", "output=m.txt")
	succeed(t, dir, "cv", "data=train.txt", "query_context=rank", "folds=2", "num_iterations=3", "num_leaves=4",
		"min_data_in_leaf=5", "final_model=m.txt")
	assert.Contains(t, readFile(t, dir, "m.txt"), "[query_context_columns: 5;rank=1-4]")
}
