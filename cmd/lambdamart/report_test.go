package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReportOfATraining: the page has learning curves, the parameters and the checksum of the model, and does not change it.
func TestReportOfATraining(t *testing.T) {
	dir := folderWithData(t)
	args := []string{"train", "data=train.txt", "valid=test.txt", "num_iterations=5", "min_data_in_leaf=5", "is_training_metric=true"}
	succeed(t, dir, append(args, "output_model=plain.txt")...)
	out := succeed(t, dir, append(args, "output_model=model.txt", "report=page.html")...)
	assert.Equal(t, readFile(t, dir, "plain.txt"), readFile(t, dir, "model.txt"))
	page := readFile(t, dir, "page.html")
	for _, want := range []string{`id="curves"`, `id="gains"`, `id="importance"`, `id="contributions"`, `id="tree"`, `id="queries"`, `id="losses"`, "valid_1", "num_leaves"} {
		assert.True(t, strings.Contains(page, want), want)
	}
	_, hash, _ := strings.Cut(out.stderr, "sha256 ")
	assert.True(t, strings.Contains(page, hash[:64]), "the checksum of the model")
	succeed(t, dir, append(args, "output_model=model.txt", "report=again.html", "num_threads=1")...)
	same := strings.ReplaceAll(readFile(t, dir, "again.html"), `num_threads</th><td class="text">1<`, `num_threads</th><td class="text">0<`)
	assert.True(t, page == same, "threads change nothing but the parameter")
}

// TestReportOfAModel: with and without data, and of models and data that cannot be explained.
func TestReportOfAModel(t *testing.T) {
	dir := folderWithData(t)
	train := []string{"train", "data=train.txt", "num_iterations=4", "min_data_in_leaf=5"}
	succeed(t, dir, append(train, "output_model=model.txt")...)
	out := succeed(t, dir, "model", "model.txt", "report=page.html")
	assert.Contains(t, out.stderr, "There is no data")
	assert.NotContains(t, readFile(t, dir, "page.html"), `id="importance"`)
	succeed(t, dir, "model", "model.txt", "report=page.html", "data=test.txt")
	assert.Contains(t, readFile(t, dir, "page.html"), `id="importance"`)

	succeed(t, dir, append(train, "query_context=rank", "output_model=wide.txt")...)
	out = succeed(t, dir, "model", "wide.txt", "report=page.html", "data=test.txt")
	assert.Contains(t, out.stderr, "query context")
	succeed(t, dir, "bin", "data=train.txt", "output=train.bin")
	out = succeed(t, dir, "train", "data=train.bin", "num_iterations=4", "min_data_in_leaf=5", "output_model=m.txt", "report=page.html")
	assert.Contains(t, out.stderr, "stored as bins")
	assert.Contains(t, readFile(t, dir, "page.html"), `id="gains"`)
}

func TestReportRefuses(t *testing.T) {
	dir := folderWithData(t)
	for _, c := range []struct{ args, want string }{
		{"train data=train.txt report=-", "name a file of its own"},
		{"train data=train.txt output_model=m.txt report=./m.txt", "name a file of its own"},
		{"train data=train.txt report=train.txt", "data=train.txt would be overwritten"},
		{"train data=train.txt ranker=ranknet report=r.html", "is a network"},
		{"model model.txt data=train.txt", "name it, as in report="},
	} {
		out := execute(t, dir, strings.Fields(c.args)...)
		assert.Equal(t, 2, out.status, c.args)
		assert.Contains(t, out.stderr, c.want, c.args)
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder"), 0o777))
	out := execute(t, dir, "train", "data=train.txt", "report=folder")
	assert.Equal(t, 1, out.status)
	assert.NoFileExists(t, filepath.Join(dir, "model.txt"), "it fails before anything is trained")
}
