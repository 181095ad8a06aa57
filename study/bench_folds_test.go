package study

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// folderOf makes a folder with empty files.
func folderOf(t *testing.T, files ...string) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range files {
		path := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, nil, 0o666))
	}
	return folder
}

func TestOneSplit(t *testing.T) {
	folder := folderOf(t, "train.txt.gz", "validation.csv", "test.svm", "train.txt.query", "test.svm.weight",
		"train.txt.gz.bin", "README.md", "train-old.txt")
	got, err := findSplits(folder)
	require.NoError(t, err)
	in := func(name string) string { return filepath.Join(folder, name) }
	assert.Equal(t, []Split{{Name: filepath.Base(folder), Train: in("train.txt.gz"), Vali: in("validation.csv"),
		Test: in("test.svm")}}, got)
}

func TestFoldsComeInTheOrderOfTheirNumbers(t *testing.T) {
	var files []string
	for _, fold := range []string{"Fold10", "Fold2", "Fold1"} {
		for _, part := range []string{"train.txt", "vali.txt", "test.txt"} {
			files = append(files, fold+"/"+part)
		}
	}
	got, err := findSplits(folderOf(t, append(files, "notes/train.txt", "Folder/test.txt")...))
	require.NoError(t, err)
	require.Len(t, got, 3)
	assert.Equal(t, []string{"Fold1", "Fold2", "Fold10"}, []string{got[0].Name, got[1].Name, got[2].Name})
}

func TestFoldersWithoutASplit(t *testing.T) {
	for _, c := range []struct {
		want  string
		files []string
	}{
		{"neither the files train, vali and test nor folders Fold1", nil},
		{"has no file vali", []string{"train.txt", "test.txt"}},
		{"has no file train", []string{"vali.txt", "test.txt"}},
		{"both train.csv and train.txt could be meant", []string{"train.csv", "train.txt", "vali.txt", "test.txt"}},
		{"has both", []string{"train.txt", "vali.txt", "test.txt", "Fold1/train.txt"}},
		{"Fold2 lacks the files", []string{"Fold1/train.txt", "Fold1/vali.txt", "Fold1/test.txt", "Fold2/x"}},
		{"has no file test", []string{"Fold1/train.txt", "Fold1/vali.txt"}},
	} {
		_, err := findSplits(folderOf(t, c.files...))
		require.Error(t, err, c.want)
		assert.Contains(t, err.Error(), c.want)
	}
	_, err := findSplits(filepath.Join(t.TempDir(), "absent"))
	assert.ErrorIs(t, err, os.ErrNotExist)
	_, err = findSplits(filepath.Join(folderOf(t, "train.csv"), "train.csv"))
	assert.ErrorContains(t, err, "train.csv is a file; give a folder")
}
