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

// TestReportOfATraining: the page has learning curves, parameters and the model's checksum, and writing it
// does not change the model.
func TestReportOfATraining(t *testing.T) {
	dir := folderWithData(t)
	args := []string{"train", "data=train.txt", "valid=test.txt", "num_iterations=5", "min_data_in_leaf=5",
		"is_training_metric=true"}
	succeed(t, dir, append(args, "output_model=plain.txt")...)
	out := succeed(t, dir, append(args, "output_model=model.txt", "report=page.html")...)
	assert.Equal(t, readFile(t, dir, "plain.txt"), readFile(t, dir, "model.txt"))
	page := readFile(t, dir, "page.html")
	for _, want := range []string{`id="curves"`, `id="gains"`, `id="importance"`, `id="contributions"`,
		`id="tree"`, `id="queries"`, `id="losses"`, "valid_1", "num_leaves"} {
		assert.True(t, strings.Contains(page, want), want)
	}
	_, hash, _ := strings.Cut(out.stderr, "sha256 ")
	assert.True(t, strings.Contains(page, hash[:64]), "the checksum of the model")
	for _, file := range []string{"train.txt", "test.txt"} {
		assert.True(t, strings.Contains(page, fmt.Sprintf("%x", sha256.Sum256([]byte(readFile(t, dir, file))))),
			"the checksum of "+file)
	}
	succeed(t, dir, append(args, "output_model=model.txt", "report=again.html", "num_threads=1")...)
	same := strings.ReplaceAll(readFile(t, dir, "again.html"), `num_threads</th><td class="text">1<`,
		`num_threads</th><td class="text">0<`)
	assert.True(t, page == same, "threads change nothing but the parameter")
}

func TestReportRefuses(t *testing.T) {
	dir := folderWithData(t)
	refuseAll(t, dir, []refusal{
		{2, "train data=train.txt report=-", "standard output has what the command prints"},
		{2, "train data=train.txt output_model=m.txt report=./m.txt", "name a file of its own"},
		{2, "train data=train.txt report=train.txt", "data=train.txt would be overwritten"},
		{2, "train data=train.txt ranker=ranknet report=r.html", "is a network"},
		{2, "model model.txt data=train.txt", "name it, as in report="},
		{2, "model model.txt data=train.txt report=train.txt", "data=train.txt would be overwritten"},
		{2, "model model.txt data=train.txt report=page.html output=train.txt",
			"data=train.txt would be overwritten"},
		{2, "model model.txt join=test.txt output=edited.txt report=test.txt",
			"join=test.txt would be overwritten"},
	}...)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder"), 0o777))
	out := execute(t, dir, "train", "data=train.txt", "report=folder")
	assert.Equal(t, 1, out.status)
	assert.NoFileExists(t, filepath.Join(dir, "model.txt"), "it fails before anything is trained")
}

// TestReportRefusesBeforeWork: a page that cannot be written, or that would replace another file, is an
// error before training.
func TestReportRefusesBeforeWork(t *testing.T) {
	dir := folderWithData(t)
	writeFile(t, dir, "t.csv", threeColumns())
	refuseAll(t, dir, []refusal{
		{2, "cv data=train.txt report=-", "standard output has what the command prints"},
		{2, "cv data=train.txt final_model=m.txt report=./m.txt", "name a file of its own"},
		{2, "cv data=train.txt average_model=m.txt report=m.txt", "name a file of its own"},
		{2, "cv data=train.txt report=train.txt", "data=train.txt would be overwritten"},
		{2, "compare a b data=t.csv report=-", "standard output has what the command prints"},
		{2, "compare a b data=t.csv report=t.csv", "data=t.csv would be overwritten"},
		{2, "compare train.txt test.txt report=test.txt", ": test.txt would be overwritten"},
	}...)
	for _, command := range []string{"cv data=train.txt", "compare a b data=t.csv"} {
		out := execute(t, dir, append(strings.Fields(command), "report=none/page.html")...)
		assert.Equal(t, 1, out.status, command)
		assert.NoDirExists(t, filepath.Join(dir, "train.txt-cv"), "it fails before anything is trained")
	}
}
