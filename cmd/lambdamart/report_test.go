package main

import (
	"crypto/sha256"
	"fmt"
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
	for _, file := range []string{"train.txt", "test.txt"} {
		assert.True(t, strings.Contains(page, fmt.Sprintf("%x", sha256.Sum256([]byte(readFile(t, dir, file))))), "the checksum of "+file)
	}
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
	succeed(t, dir, "model", "wide.txt", "report=page.html", "data=test.txt")
	assert.Contains(t, readFile(t, dir, "page.html"), `id="importance"`)
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
		{"model model.txt data=train.txt report=train.txt", "data=train.txt would be overwritten"},
		{"model model.txt data=train.txt report=page.html output=train.txt", "data=train.txt would be overwritten"},
		{"model model.txt join=test.txt output=edited.txt report=test.txt", "join=test.txt would be overwritten"},
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

// TestReportOfAComparison: bars count every query once, and pages beside JSON change nothing that is printed.
func TestReportOfAComparison(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "t.csv", threeColumns())
	args := []string{"compare", "a", "b", "c", "data=t.csv", "metric=ndcg@5", "differing=2"}
	plain := succeed(t, dir, args...)
	assert.Equal(t, plain.stdout, succeed(t, dir, append(args, "report=page.html")...).stdout)
	page := readFile(t, dir, "page.html")
	for _, want := range []string{`id="systems"`, `id="pairs"`, `id="queries"`, `id="values"`, `id="pair-1-histogram-title"`, `id="pair-0-title"`, "The queries that differ most", `<th scope="row">0 (ties)</th><td>40</td>`, `<th scope="row">0 (ties)</th><td>10</td>`, "1 of 2 pairs differ"} {
		assert.Contains(t, page, want)
	}
	assert.NotContains(t, page, "NaN")
	succeed(t, dir, "compare", "a", "c", "data=t.csv", "metric=ndcg@5", "differing=0", "report=same.html")
	assert.Contains(t, readFile(t, dir, "same.html"), "not proven on 40 queries: interval &#43;0.0000")
	assert.NotContains(t, readFile(t, dir, "same.html"), "The queries that differ most")
}

// TestReportOfACrossValidation: the page has the values of result.json, and threads change nothing but their parameter.
func TestReportOfACrossValidation(t *testing.T) {
	dir := folderWithData(t)
	args := append([]string{"cv", "data=train.txt", "folds=3", "seed=3"}, fewRows...)
	plain := succeed(t, dir, append(args, "output=plain")...)
	out := succeed(t, dir, append(args, "output=out", "report=page.html")...)
	assert.Contains(t, out.stderr, "page.html")
	assert.Equal(t, plain.stdout[strings.Index(plain.stdout, "\n\n"):], out.stdout[strings.Index(out.stdout, "\n\n"):])
	page := readFile(t, dir, "page.html")
	for _, want := range []string{`id="folds"`, `id="curves"`, `id="queries"`, `id="settings"`, "all folds", "in 3 folds", "num_leaves"} {
		assert.Contains(t, page, want)
	}
	assert.NotContains(t, page, "NaN")
}

// TestReportRefusesBeforeWork: pages that cannot be written, or that would replace another file, end the command at once.
func TestReportRefusesBeforeWork(t *testing.T) {
	dir := folderWithData(t)
	writeFile(t, dir, "t.csv", threeColumns())
	for _, c := range []struct{ args, want string }{
		{"cv data=train.txt report=-", "name a file of its own"},
		{"cv data=train.txt final_model=m.txt report=./m.txt", "name a file of its own"},
		{"cv data=train.txt average_model=m.txt report=m.txt", "name a file of its own"},
		{"cv data=train.txt report=train.txt", "data=train.txt would be overwritten"},
		{"compare a b data=t.csv report=-", "name a file of its own"},
		{"compare a b data=t.csv svg=p report=p", "name a file of its own"},
		{"compare a b data=t.csv report=t.csv", "data=t.csv would be overwritten"},
		{"compare train.txt test.txt report=test.txt", ": test.txt would be overwritten"},
		{"compare train.txt test.txt svg=test.txt", ": test.txt would be overwritten"},
	} {
		out := execute(t, dir, strings.Fields(c.args)...)
		assert.Equal(t, 2, out.status, c.args)
		assert.Contains(t, out.stderr, c.want, c.args)
	}
	for _, command := range []string{"cv data=train.txt", "compare a b data=t.csv"} {
		out := execute(t, dir, append(strings.Fields(command), "report=none/page.html")...)
		assert.Equal(t, 1, out.status, command)
		assert.NoDirExists(t, filepath.Join(dir, "train.txt-cv"), "it fails before anything is trained")
	}
}
