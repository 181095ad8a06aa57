package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
