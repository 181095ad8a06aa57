package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/gone"
)

// earlierFolder returns a folder with the files of testdata/earlier, which the program of commit 6952ba83
// (2026-11-24) made from train.txt there.
func earlierFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/earlier")))
	return dir
}

// TestFilesOfEarlierVersionsAreUsed: models, binned data and the parameters in a model are read as long as
// they ask for nothing that is gone.
func TestFilesOfEarlierVersionsAreUsed(t *testing.T) {
	dir := earlierFolder(t)
	want := succeed(t, dir, "predict", "data=train.txt", "input_model=model.txt").stdout
	got := succeed(t, dir, "train", "config=model.txt", "data=train.bin", "output_model=again.txt")
	assert.NotContains(t, got.stderr, "warning")
	assert.Equal(t, want, succeed(t, dir, "predict", "data=train.txt", "input_model=again.txt").stdout)
	succeed(t, dir, "predict", "data=train.txt", "input_model=net.nn")
	text := strings.Replace(readFile(t, dir, "model.txt"), "method: basic]", "method: advanced]", 1)
	writeFile(t, dir, "advanced.txt", text)
	assert.Equal(t, want, succeed(t, dir, "predict", "data=train.txt", "input_model=advanced.txt").stdout)
}

// TestWhatIsGoneIsRefused: what asks for something that is gone is refused in one line, which says what it
// was, until or since when, and what to do.
func TestWhatIsGoneIsRefused(t *testing.T) {
	dir := earlierFolder(t)
	model := readFile(t, dir, "model.txt")
	for name, edit := range map[string][2]string{
		"rf.txt":       {"[boosting: gbdt]", "[boosting: rf]"},
		"goss.txt":     {"[data_sample_strategy: bagging]", "[data_sample_strategy: goss]"},
		"advanced.txt": {"method: basic]", "method: advanced]"},
		"costs.txt":    {"[cegb_penalty_split: 0]", "[cegb_penalty_split: 0.1]"},
		"noise.txt":    {"lambdarank_noise=0;", "lambdarank_noise=0.5;"},
		"forced.txt":   {"forcedsplits_filename=;", "forcedsplits_filename=sha256:0123;"},
		"bins.txt":     {"forcedbins_filename=;", "forcedbins_filename=sha256:0123;"},
	} {
		require.Contains(t, model, edit[0])
		writeFile(t, dir, name, strings.Replace(model, edit[0], edit[1], 1))
	}
	writeFile(t, dir, "rf.conf", "task = train\nboosting = rf\n")
	writeFile(t, dir, "clicks.conf", "data = train.txt\nclicks = clicks.csv\n")
	writeFile(t, dir, "plan.conf", "data = train.txt\nlatency = 7\n")
	writeFile(t, dir, "bench.yaml", "")
	writeFile(t, dir, "exp", "data: f\nrankers: [ranknet]\n")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "cv", "folds"), 0o777))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "shards"), 0o777))
	writeFile(t, dir, "shards/shards.json", "{}")
	writeFile(t, dir, "cv/folds/fold1.d50961b20f37b523.json", readFile(t, dir, "fold.json"))
	require.NoError(t, os.Rename(filepath.Join(dir, "run.checkpoint"), filepath.Join(dir, "run.txt.checkpoint")))
	for _, c := range refusalsOf(t, dir, "gone.txt") {
		c.args += " verbosity=-1"
		said := refuse(t, dir, c)
		assert.Regexp(t, `(until|since) \d{4}-\d\d-\d\d`, said, c.args)
		assert.Equal(t, 1, strings.Count(said, "\n"), "%s\n%s", c.args, said)
	}
}

// TestGoneThingsAreNotThere: no parameter has a name that is gone, unless values of it are still accepted.
// All other names that docs/parameters.md listed at commit 6952ba83 are there.
func TestGoneThingsAreNotThere(t *testing.T) {
	all := allParameters()
	for _, row := range all {
		for _, name := range append(row.Aliases, row.Name) {
			if gone.Why(gone.Parameter, name) != "" {
				assert.True(t, row.Inert, name)
			}
		}
	}
	for _, off := range gone.Offs() {
		assert.NotNil(t, all.Find(off.Name), off.Name)
	}
	for name := range strings.FieldsSeq(readFile(t, "testdata/earlier", "parameters.txt")) {
		assert.True(t, all.Find(name) != nil || gone.Why(gone.Parameter, name) != "", name)
	}
}
