package repository

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/serving/internal/oip"
	"github.com/lambdamart/lambdamart/serving/internal/ranker"
	"github.com/lambdamart/lambdamart/tree"
)

// constant returns the text of a model that gives every document the same score.
func constant(t *testing.T, score float64, features ...string) []byte {
	t.Helper()
	if features == nil {
		features = []string{"a"}
	}
	m := &tree.Ensemble{Trees: []tree.Tree{{LeafValue: []float64{score}, LeafWeight: []float64{1}, LeafCount: []int64{1}}}}
	for _, name := range features {
		m.Features = append(m.Features, tree.Feature{Name: name})
	}
	var b bytes.Buffer
	require.NoError(t, lambdamart.WriteModelTo(&b, m))
	return b.Bytes()
}

// put writes a file of the folder, whose time of modification no other file has.
var clock = time.Now().Add(-time.Hour)

func put(t *testing.T, folder, name string, content []byte) {
	t.Helper()
	path := filepath.Join(folder, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	require.NoError(t, os.WriteFile(path, content, 0o666))
	clock = clock.Add(time.Second)
	require.NoError(t, os.Chtimes(path, clock, clock))
}

func open(t *testing.T, folder string) (*Repository, *strings.Builder) {
	t.Helper()
	log := new(strings.Builder)
	r, err := Open(folder, ranker.Options{}, slog.New(slog.NewTextHandler(log, nil)))
	require.NoError(t, err)
	return r, log
}

// refresh scans the folder, and reports whether a file was read or removed.
func refresh(t *testing.T, r *Repository) bool {
	t.Helper()
	before, files := r.loads.Load()+r.failures.Load(), len(r.state.Load().files)
	require.NoError(t, r.Refresh())
	return r.loads.Load()+r.failures.Load() != before || len(r.state.Load().files) != files
}

// scoreOf returns the score of a model's version as text, or the error.
func scoreOf(t *testing.T, r *Repository, name, version string) string {
	t.Helper()
	v, err := r.Find(name, version)
	if err != nil {
		return err.Error()
	}
	scores, err := v.Ranker.Rank(context.Background(), []oip.Tensor{{Name: "features", Type: oip.FP64, Shape: []int{1, 1}, Floats: []float64{0}}})
	require.NoError(t, err)
	return fmt.Sprint(scores[0])
}

func TestVersionsOfAFolder(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "shop.txt", constant(t, 1))
	put(t, dir, "news/2/model.txt", constant(t, 2))
	put(t, dir, "news/10/any.txt", constant(t, 10))
	put(t, dir, "news/9/model.txt", constant(t, 9))
	put(t, dir, "news/9/notes.md", nil)
	put(t, dir, "news/config.pbtxt", nil)
	put(t, dir, "news/latest/model.txt", constant(t, 11))
	put(t, dir, ".hidden.txt", constant(t, 3))
	put(t, dir, "README.md", []byte("These are models."))
	r, _ := open(t, dir)
	assert.Equal(t, "1", scoreOf(t, r, "shop", ""))
	assert.Equal(t, "10", scoreOf(t, r, "news", ""))
	assert.Equal(t, "9", scoreOf(t, r, "news", "9"))
	assert.Equal(t, []string{"2", "9", "10"}, r.Versions("news"))
	assert.Equal(t, `the model "news" has no version "3"; it has 2, 9, 10`, scoreOf(t, r, "news", "3"))
	assert.Equal(t, `there is no model "shap"; did you mean "shop"?`, scoreOf(t, r, "shap", ""))
	assert.Len(t, r.All(), 4)
}

func TestSingleFile(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "shop.txt", constant(t, 1))
	r, _ := open(t, filepath.Join(dir, "shop.txt"))
	assert.Equal(t, "1", scoreOf(t, r, "shop", "1"))
}

func TestChanges(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "shop.txt", constant(t, 1))
	r, log := open(t, dir)
	assert.False(t, refresh(t, r), "nothing has changed")

	put(t, dir, "shop.txt", constant(t, 2))
	former, err := r.Find("shop", "")
	require.NoError(t, err)
	assert.True(t, refresh(t, r))
	assert.Equal(t, "2", scoreOf(t, r, "shop", ""))
	scores, err := former.Ranker.Rank(context.Background(), []oip.Tensor{{Name: "features", Type: oip.FP64, Shape: []int{1, 1}, Floats: []float64{0}}})
	require.NoError(t, err, "a request finishes with the model that it began with")
	assert.Equal(t, []float64{1}, scores)

	put(t, dir, "news/1/model.txt", constant(t, 5))
	put(t, dir, "news/2/model.txt", constant(t, 6))
	assert.True(t, refresh(t, r))
	assert.Equal(t, "6", scoreOf(t, r, "news", ""))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "news", "2")))
	assert.True(t, refresh(t, r))
	assert.Equal(t, "5", scoreOf(t, r, "news", ""))
	assert.Contains(t, log.String(), "model removed")

	require.NoError(t, os.RemoveAll(dir))
	err = r.Refresh()
	require.Error(t, err)
	assert.Equal(t, "2", scoreOf(t, r, "shop", ""), "a folder that is gone changes nothing")
}

// TestBadFilesChangeNothing: whatever replaces the file of a working model, the model stays in use.
func TestBadFilesChangeNothing(t *testing.T) {
	good := constant(t, 1)
	for name, bad := range map[string][]byte{"empty": nil, "garbage": []byte("garbage"), "half": good[:len(good)/2], "without end": good[:len(good)-60]} {
		for _, path := range []string{"shop.txt", "shop/3/model.txt"} {
			dir := t.TempDir()
			put(t, dir, path, good)
			r, log := open(t, dir)
			put(t, dir, path, bad)
			refresh(t, r)
			assert.Equal(t, "1", scoreOf(t, r, "shop", ""), "%s, %s", name, path)
			assert.Contains(t, log.String(), "model not loaded")
			assert.False(t, refresh(t, r), "a failure is tried again only after a change")
			put(t, dir, path, constant(t, 2))
			assert.True(t, refresh(t, r))
			assert.Equal(t, "2", scoreOf(t, r, "shop", ""), name)
			done, failed := r.Loads()
			assert.Equal(t, []uint64{2, 1}, []uint64{done, failed})
		}
	}
}

// TestOtherFilesBesideAVersion: a second file beside a version's model must not remove the version.
func TestOtherFilesBesideAVersion(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "shop/3/ranker.txt", constant(t, 1))
	r, log := open(t, dir)
	put(t, dir, "shop/3/ranker.txt.tmp", constant(t, 2))
	refresh(t, r)
	assert.Equal(t, "1", scoreOf(t, r, "shop", ""))
	assert.Contains(t, log.String(), "it must have one file")
	assert.False(t, refresh(t, r), "it is logged once")
}

func TestEqualNames(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "shop.json", constant(t, 1))
	put(t, dir, "shop.txt", constant(t, 2))
	put(t, dir, "shop/1/model.txt", constant(t, 3))
	r, log := open(t, dir)
	refresh(t, r)
	assert.Equal(t, "3", scoreOf(t, r, "shop", ""))
	assert.Equal(t, 2, strings.Count(log.String(), "is a model of the same name"))
}

func TestNothingToServe(t *testing.T) {
	dir := t.TempDir()
	log := slog.New(slog.DiscardHandler)
	_, err := Open(dir, ranker.Options{}, log)
	require.ErrorContains(t, err, "there is no model in this folder")
	put(t, dir, "shop/1/model.txt", []byte("garbage"))
	_, err = Open(dir, ranker.Options{}, log)
	require.ErrorContains(t, err, filepath.Join("shop", "1", "model.txt"))
	_, err = Open(filepath.Join(dir, "none"), ranker.Options{}, log)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestOtherFeaturesAreAWarning(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "shop.txt", constant(t, 1, "a", "b"))
	r, log := open(t, dir)
	put(t, dir, "shop.txt", constant(t, 2, "b", "a"))
	refresh(t, r)
	assert.Contains(t, log.String(), "the features of a model have changed")
}
