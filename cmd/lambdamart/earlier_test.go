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
	succeed(t, dir, "train", "config=model.txt", "data=train.bin", "output_model=again.txt")
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
	} {
		require.Contains(t, model, edit[0])
		writeFile(t, dir, name, strings.Replace(model, edit[0], edit[1], 1))
	}
	writeFile(t, dir, "rf.conf", "task = train\nboosting = rf\n")
	writeFile(t, dir, "clicks.conf", "data = train.txt\nclicks = clicks.csv\n")
	writeFile(t, dir, "bench.yaml", "rankers:\n")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "cv", "folds"), 0o777))
	writeFile(t, dir, "cv/folds/fold1.d50961b20f37b523.json", readFile(t, dir, "fold.json"))
	require.NoError(t, os.Rename(filepath.Join(dir, "run.checkpoint"), filepath.Join(dir, "run.txt.checkpoint")))
	for _, c := range []struct {
		status        int
		command, want string
	}{
		// the command line
		{2, "judgments log=x", "there is no command judgments any more: it made training data from logs until "},
		{2, "help plan", "there is no command plan any more: it estimated"},
		{2, "help dialect", "dialect: it is not a command, and an unknown parameter: it was for SQL"},
		{2, "train data=train.txt boosting=rf", "boosting=rf: it trained a random forest until "},
		{2, "train data=train.txt boosting=random_forest", "boosting=random_forest: it trained"},
		{2, "train data=train.txt boosting=goss", "boosting=goss: it favored rows"},
		{2, "train data=train.txt --mc-method advanced", "advanced: it bounded each side"},
		{2, "cv data=train.txt lambdarank_unbiased=true",
			"lambdarank_unbiased=true: only false is available: It learned"},
		{2, "serve models=model.txt tls_cert=x", "tls_cert=x: unknown parameter: it made serve encrypt until "},
		{2, "select data=train.txt select_by=gain", "select_by=gain: unknown parameter: it chose the importance"},
		{2, "export model.txt to=sql output=x", "to=sql: export wrote SQL until "},
		{2, "export model.txt to=solr engine=9 output=x", "engine=9: unknown parameter: it named the version"},
		// configuration files, and models as such
		{2, "train config=rf.conf data=train.txt", "boosting=rf (rf.conf:2): it trained"},
		{2, "train config=clicks.conf",
			"clicks=clicks.csv (clicks.conf:2): unknown parameter: it was of the command judgments"},
		{2, "bench config=bench.yaml", "config=bench.yaml: bench read YAML until "},
		{2, "train data=train.txt config=rf.txt", "boosting=rf (rf.txt): it trained"},
		{2, "train data=train.txt config=goss.txt",
			"(goss.txt): only bagging is available: Its value goss favored"},
		{2, "train data=train.txt config=advanced.txt",
			"monotone_constraints_method=advanced (advanced.txt): it bounded"},
		{2, "train data=train.txt config=costs.txt",
			"cegb_penalty_split=0.1 (costs.txt): only 0 is available: It made"},
		{2, "train data=train.txt config=noise.txt",
			"lambdarank_noise=0.5 (noise.txt): only 0 is available: It ranked"},
		// files
		{1, "predict data=train.txt input_model=model.pmml",
			"model.pmml: it looks like PMML, which export wrote until "},
		{1, "train data=train.txt output_model=run.txt snapshot_freq=1 resume=auto",
			"run.txt.checkpoint: format 3: it has the form of another version (this one has format 5, since " +
				"2026-11-26); continue with"},
		{1, "cv data=train.txt output=cv",
			"fold1.d50961b20f37b523.json: not a result of this study: format 1: another version of the " +
				"program wrote it (this one has format 3, since 2026-11-26); give another output, or remove the folder"},
	} {
		got := execute(t, dir, append(strings.Fields(c.command), "verbosity=-1")...)
		assert.Equal(t, c.status, got.status, "%s\n%s", c.command, got.stderr)
		assert.Contains(t, got.stderr, c.want, c.command)
		assert.Regexp(t, `(until|since) \d{4}-\d\d-\d\d`, got.stderr, c.command)
		assert.Equal(t, 1, strings.Count(got.stderr, "\n"), "%s\n%s", c.command, got.stderr)
	}
}

// TestGoneThingsAreNotThere: no parameter has a name that is gone, unless values of it are still accepted.
func TestGoneThingsAreNotThere(t *testing.T) {
	for _, row := range allParameters() {
		for _, name := range append(row.Aliases, row.Name) {
			if gone.Why(gone.Parameter, name) != "" {
				assert.True(t, row.Inert, name)
			}
		}
	}
	for _, off := range gone.Offs() {
		assert.NotNil(t, allParameters().Find(off.Name), off.Name)
	}
}
