package serving

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/VictoriaMetrics/metrics"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// put writes a file of the folder, whose time of modification no other file has.
var clock = time.Unix(1e9, 0)

func put(t *testing.T, folder, name string, content []byte) {
	t.Helper()
	path := filepath.Join(folder, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	require.NoError(t, os.WriteFile(path, content, 0o666))
	clock = clock.Add(time.Second)
	require.NoError(t, os.Chtimes(path, clock, clock))
}

func open(t *testing.T, folder string) (*models, *strings.Builder) {
	t.Helper()
	log := new(strings.Builder)
	r, err := openModels(folder, 1000, slog.New(slog.NewTextHandler(log, nil)), metrics.NewSet())
	require.NoError(t, err)
	return r, log
}

// refresh scans the folder, and reports whether a file was read or removed.
func refresh(t *testing.T, r *models) bool {
	t.Helper()
	before, files := r.loads.Get()+r.failures.Get(), len(r.state.Load().files)
	require.NoError(t, r.refresh())
	return r.loads.Get()+r.failures.Get() != before || len(r.state.Load().files) != files
}

// scoreOf returns the score of a model's version as text, or the error.
func scoreOf(t *testing.T, r *models, name, version string) string {
	t.Helper()
	v, err := r.find(name, version)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(scoreBy(t, v))
}

// scoreBy returns a model's score of a document with one feature.
func scoreBy(t *testing.T, m *model) float64 {
	t.Helper()
	scores, err := rank(t.Context(), m.ranker, matrixOf(1, 0))
	require.NoError(t, err)
	return scores[0]
}

func TestSingleFile(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "shop.txt", constant(t, 1))
	r, _ := open(t, filepath.Join(dir, "shop.txt"))
	assert.Equal(t, "1", scoreOf(t, r, "shop", "1"))
}

func TestVersionsOfAFolder(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "shop.txt", constant(t, 1))
	put(t, dir, "news/2/model.txt", constant(t, 2))
	put(t, dir, "news/10/model.txt", constant(t, 10))
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
	assert.Equal(t, []string{"2", "9", "10"}, r.versions("news"))
	assert.Equal(t, `the model "news" has no version "3"; it has 2, 9, 10`, scoreOf(t, r, "news", "3"))
	assert.Equal(t, `there is no model "shap"; did you mean "shop"?`, scoreOf(t, r, "shap", ""))
	assert.Len(t, r.state.Load().models, 2)
}

func TestChanges(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "shop.txt", constant(t, 1))
	r, log := open(t, dir)
	assert.False(t, refresh(t, r), "nothing has changed")

	put(t, dir, "shop.txt", constant(t, 2))
	former, err := r.find("shop", "")
	require.NoError(t, err)
	assert.True(t, refresh(t, r))
	assert.Equal(t, "2", scoreOf(t, r, "shop", ""))
	assert.EqualValues(t, 1, scoreBy(t, former), "a request finishes with the model that it began with")

	put(t, dir, "news/1/model.txt", constant(t, 5))
	put(t, dir, "news/2/model.txt", constant(t, 6))
	assert.True(t, refresh(t, r))
	assert.Equal(t, "6", scoreOf(t, r, "news", ""))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "news", "2")))
	assert.True(t, refresh(t, r))
	assert.Equal(t, "5", scoreOf(t, r, "news", ""))
	assert.Contains(t, log.String(), "model removed")

	require.NoError(t, os.RemoveAll(dir))
	err = r.refresh()
	require.Error(t, err)
	assert.Equal(t, "2", scoreOf(t, r, "shop", ""), "a folder that is gone changes nothing")
}

// TestBadFilesChangeNothing: whatever replaces the file of a working model, the model stays in use.
func TestBadFilesChangeNothing(t *testing.T) {
	good := constant(t, 1)
	for name, bad := range map[string][]byte{"empty": nil, "garbage": []byte("garbage"),
		"half": good[:len(good)/2], "without end": good[:len(good)-60]} {
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
			assert.Equal(t, []uint64{2, 1}, []uint64{r.loads.Get(), r.failures.Get()})
		}
	}
}

// TestFolderWithoutModel: a version whose folder has other files alone is reported once, and is no model.
func TestFolderWithoutModel(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "shop/3/model.txt", constant(t, 1))
	put(t, dir, "shop/3/model.txt.tmp", constant(t, 2))
	r, log := open(t, dir)
	assert.Equal(t, "1", scoreOf(t, r, "shop", ""))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "shop", "4"), 0o777))
	refresh(t, r)
	assert.NotContains(t, log.String(), "not loaded", "an empty folder may get its model soon")
	put(t, dir, "shop/4/ranker.txt", constant(t, 2))
	assert.True(t, refresh(t, r))
	assert.Contains(t, log.String(), "this folder has no file model.txt (or .json, .nn and so on)")
	assert.False(t, refresh(t, r), "it is logged once")
	assert.Equal(t, "1", scoreOf(t, r, "shop", ""))
	require.NoError(t, os.Rename(filepath.Join(dir, "shop", "4", "ranker.txt"),
		filepath.Join(dir, "shop", "4", "model.txt")))
	refresh(t, r)
	assert.Equal(t, "2", scoreOf(t, r, "shop", ""))
}

// TestOtherFiles: a file that is not a model is named once in the log, and is no failure.
func TestOtherFiles(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "shop.txt", constant(t, 1))
	put(t, dir, "README.md", []byte("These are models."))
	r, log := open(t, dir)
	assert.False(t, refresh(t, r))
	assert.Equal(t, 1, strings.Count(log.String(), "file left out"))
	assert.Contains(t, log.String(), "README.md")
	assert.Zero(t, r.failures.Get())
}

// TestEqualNames: of two files that are the same version of a model, none is chosen.
func TestEqualNames(t *testing.T) {
	for _, other := range []string{"shop.json", "shop/1/model.txt"} {
		dir := t.TempDir()
		put(t, dir, "shop.txt", constant(t, 1))
		r, _ := open(t, dir)
		put(t, dir, other, constant(t, 2))
		require.ErrorContains(t, r.refresh(), `are both version 1 of the model "shop"`)
		assert.Equal(t, "1", scoreOf(t, r, "shop", ""), "all models stay")
		_, err := openModels(dir, 1000, slog.New(slog.DiscardHandler), metrics.NewSet())
		require.ErrorContains(t, err, `are both version 1 of the model "shop"`)
		require.NoError(t, os.Remove(filepath.Join(dir, "shop.txt")))
		refresh(t, r)
		assert.Equal(t, "2", scoreOf(t, r, "shop", ""))
	}
}

func TestNothingToServe(t *testing.T) {
	dir := t.TempDir()
	log := slog.New(slog.DiscardHandler)
	_, err := openModels(dir, 1000, log, metrics.NewSet())
	require.ErrorContains(t, err, "there is no model in this folder")
	put(t, dir, "shop/1/model.txt", []byte("garbage"))
	_, err = openModels(dir, 1000, log, metrics.NewSet())
	require.ErrorContains(t, err, filepath.Join("shop", "1", "model.txt"))
	_, err = openModels(filepath.Join(dir, "none"), 1000, log, metrics.NewSet())
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestReplacedVersions: a model answers while each of its versions is replaced by the next one, even if that
// happens while the folder is read.
func TestReplacedVersions(t *testing.T) {
	dir := t.TempDir()
	version := func(n int) string { return filepath.Join(dir, "news", strconv.Itoa(n), "model.txt") }
	replace(t, version(1), constant(t, 1))
	m, err := openModels(dir, 100, slog.New(slog.DiscardHandler), metrics.NewSet())
	require.NoError(t, err)
	var over atomic.Bool
	var reader sync.WaitGroup
	reader.Go(func() {
		for !over.Load() {
			assert.NoError(t, m.refresh())
			_, err := m.find("news", "")
			assert.NoError(t, err)
		}
	})
	for n := 2; n < 300; n++ {
		replace(t, version(n), constant(t, float64(n)))
		require.NoError(t, os.RemoveAll(filepath.Dir(version(n-1))))
		time.Sleep(time.Millisecond)
	}
	over.Store(true)
	reader.Wait()
}
