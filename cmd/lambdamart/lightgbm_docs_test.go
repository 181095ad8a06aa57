package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/param"
)

// docs/from-lightgbm.md is generated from the program's own table, LightGBM's lists in testdata, and the
// notes below. When a parameter gains an effect, regenerating the page moves it to the right place.

const fromLightGBMHeader = `# From LightGBM, XGBoost, CatBoost and RankLib

Made from the program's own table by ` + "`go test ./cmd/lambdamart -run Docs -update`" + `. The same parameters give LightGBM's
first tree only with ` + "`lambdarank_ties=file` and `active_fraction=1`" + `, whose defaults [differ](#two-defaults-that-change-trees).

Every parameter of LightGBM 4.7 is below; ` + "`test/check_parameters.py`" + ` compares the list and the defaults with LightGBM's own.

A configuration file of LightGBM runs unchanged: ` + "`lambdamart config=train.conf`" + `. A line that asks for something that this program does
not do is an error that names the line; a parameter that decides nothing here is accepted, and a note says so. Data needs query ids
(` + "`qid:`" + `, or the companion ` + "`.query`" + `) and files are read as LightGBM reads them: label first, LETOR text or a table.

## Two defaults that change trees
Before the first tree, all documents of a query have the same score. LightGBM ranks them in the order of the file, which the model
can learn. Here, training averages over their orders, or draws one ([which](objectives.md#documents-of-equal-scores)).
` + "`lambdarank_ties=file`" + ` takes the order of the file.

Above 40,000 rows, a tree may grow on fewer rows, down to 1 of 32, by random rounding of gradients without bias: as many as pay on
queries that the tree has not seen. A line of the log says so, and the model keeps the shares. ` + "`active_fraction=1`" + ` takes every row,
as LightGBM does.

## What the tables say
- **same**: the meaning is LightGBM's, and so are the default and all aliases.
- **differs**: there is a parameter of that name, and what is different is said.
- **refused**: values other than the one given are an error, for the reason that is said.
- **no effect**: every value is accepted, because no result depends on it here.

## LightGBM
| parameter | here | |
|---|---|---|
`

// lightGBMNotes describes how parameters with LightGBM's names differ from LightGBM's. Different defaults
// are found by comparison with testdata/lightgbm_defaults.txt.
var lightGBMNotes = map[string]string{
	"bagging_by_query": "Bags have whole queries by default.",
	"bagging_fraction": "Each query (or row) is in the bag with this probability; LightGBM draws an " +
		"exact number.",
	"boosting": "gbdt and dart ([trees.md](trees.md)); rf is refused: it was removed on " +
		"2026-11-26, and models of it are read and scored.",
	"categorical_feature": "At most 65,535 bins a feature; others go right " +
		"([trees.md](trees.md#categorical-features)).",
	"config": "A configuration file cannot name another.",
	"data": "Also zstd, Parquet, folders of parts, and data that lambdamart bin stored; " +
		"not LightGBM's binary files.",
	"drop_rate":                "At most 1.",
	"early_stopping_min_delta": "Called min_delta; one number.",
	"early_stopping_round": "Called patience. One metric on one set decides (stop_metric, stop_set), " +
		"unless first_metric_only=false.",
	"eval_at": "0 takes all ranks. By default ndcg is at LightGBM's 1 to 5, but map and mrr " +
		"take all ranks.",
	"extra_trees": "Any threshold of a feature can be drawn; LightGBM never draws the last one, " +
		"and does not try a feature below a leaf where its threshold did not gain.",
	"feature_contri": "Also NAME:NUMBER for some features; see [trees.md](trees.md).",
	"first_metric_only": "With true, the first metric on the first set decides, not on any; stop_metric " +
		"and stop_set choose others.",
	"group_column": "Also query ids in LETOR text. Without it, a column named qid, query_id, query " +
		"or srch_id has them; none turns this off.",
	"header": "auto detects a header.",
	"input_model": "Also models of XGBoost, RankLib and others; .init files are added to its " +
		"scores.",
	"lambdarank_norm": "Also as two switches: lambdarank_score_gap_norm and lambdarank_log_norm.",
	"label_gain":      "exp2 is LightGBM's list without its end; also linear, or a list.",
	"max_bin":         "At most 65,535.",
	"max_delta_step": "Every feature is tried in every leaf; LightGBM tries no feature below a leaf " +
		"where it does not gain, for example because values are at the limit.",
	"max_drop":         "Below 1: no limit; LightGBM drops one tree with 0.",
	"min_data_in_leaf": "Exact counts of rows; LightGBM estimates them from Hessians.",
	"min_gain_to_split": "Every feature is tried in every leaf; LightGBM tries no feature below a leaf " +
		"where it does not gain that much.",
	"metric": "Ranking metrics, with a convention (metric_convention); the default averages " +
		"ties, and metric_convention=lightgbm is LightGBM's. auc is the mean over queries.",
	"num_threads": "The model does not depend on it.",
	"objective":   "Objectives for ranking, and pointwise ones; see docs/parameters.md.",
	"output_result": "Standard output if it is not given; LightGBM writes " +
		"LightGBM_predict_result.txt.",
	"seed": "Decides all draws whose own seed is not given; LightGBM's seed sets the " +
		"others to values derived from it.",
	"path_smooth": "Leaf values are smoothed by the number of rows; LightGBM estimates it from " +
		"Hessians.",
	"snapshot_freq": "Writes checkpoints, from which training resumes to the same bytes, instead of " +
		"models.",
	"task": "train, predict and refit; convert_model is the command export, save_binary " +
		"the command bin.",
	"valid":              "Several sets: valid_1, valid_2 and so on.",
	"verbosity":          "2 also names checkpoints.",
	"xgboost_dart_mode":  "Where trees are drawn by weight, by their true weights.",
	"predict_leaf_index": "Standard output or output_result, with tabs.",
	"predict_contrib":    "Standard output or output_result, with tabs.",

	// Parameters with longer names.
	"max_bin_by_feature":      "At most 65,535. Also NAME:NUMBER for some features.",
	"interaction_constraints": "Also by name: [bm25,age],[17].",
	"monotone_constraints": "Also NAME:NUMBER for some features. Rows in which other features are " +
		"missing keep the order, too; see [trees.md](trees.md).",
	"monotone_constraints_method": "advanced is refused: use intermediate, which is not significantly worse; " +
		"see [trees.md](trees.md). intermediate also allows feature_fraction_bynode.",
}

// sameDefaults are parameters whose default is written differently here, but means the same as LightGBM's.
var sameDefaults = []string{
	"seed", // 0 in both; with it, LightGBM derives no other seed
	"verbosity", "eval_at", "label_gain", "header", "label_column", "group_column", "weight_column",
	"ignore_column",
	"bagging_seed", "feature_fraction_seed", "data_random_seed", "drop_seed", "objective_seed", "extra_seed",
}

// readPairs reads lines of a name, a space, and the rest.
func readPairs(t *testing.T, path string) (names []string, rest map[string]string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	rest = map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, more, _ := strings.Cut(strings.TrimSpace(line), " ")
		names, rest[name] = append(names, name), more
	}
	return names, rest
}

func fromLightGBM(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(fromLightGBMHeader)
	names, _ := readPairs(t, "testdata/lightgbm_aliases.txt")
	_, defaults := readPairs(t, "testdata/lightgbm_defaults.txt")
	table := allParameters()
	for _, name := range names {
		row := table.Find(name)
		require.NotNil(t, row, name)
		here, how := placeOf(row, name, defaults)
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, here, how)
	}
	b.WriteString(fromOthers(t, table))
	return b.String()
}

// placeOf returns this program's equivalent of a parameter of LightGBM, and a note.
func placeOf(row *param.Parameter, name string, defaults map[string]string) (here, how string) {
	switch {
	case row.Inert && row.Value.Range() == "":
		return "no effect", row.Help
	case row.Inert:
		only := row.Value.String()
		if only == "" {
			only = "empty"
		}
		return "refused, except " + only, row.Help
	}
	note := lightGBMNotes[name]
	if theirs, known := defaults[name]; known && !slices.Contains(sameDefaults, name) &&
		!equalValues(row.Value.String(), theirs) {
		note = strings.TrimSpace(fmt.Sprintf("The default is %s, in LightGBM %s. %s", quoted(row.Value.String()),
			quoted(theirs), note))
	}
	if note == "" {
		return "same", ""
	}
	return "differs", note
}

func quoted(value string) string {
	if value == "" {
		return "empty"
	}
	return "`" + value + "`"
}

// equalValues reports whether two texts denote the same value, also as numbers or switches.
func equalValues(a, b string) bool {
	word := strings.NewReplacer("true", "1", "false", "0")
	a, b = word.Replace(a), word.Replace(b)
	x, errA := strconv.ParseFloat(a, 64)
	y, errB := strconv.ParseFloat(b, 64)
	return a == b || errA == nil && errB == nil && x == y
}

// fromOthers returns the page's tables for XGBoost, CatBoost and RankLib.
func fromOthers(t *testing.T, table param.Table) string {
	t.Helper()
	var b strings.Builder
	for _, program := range []struct {
		name string
		all  []wording.Foreign
	}{{"XGBoost's parameters for ranking", wording.XGBoost},
		{"CatBoost's parameters for ranking", wording.CatBoost},
		{"RankLib's options", wording.RankLib}} {
		fmt.Fprintf(&b, "\n## %s\n| there | here | |\n|---|---|---|\n", program.name)
		for _, p := range program.all {
			ours := "none"
			if p.Ours != "" {
				row := table.Find(p.Ours)
				require.NotNil(t, row, p.Ours)
				require.False(t, row.Inert, p.Ours)
				ours = "`" + row.Name + "`"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", strings.ReplaceAll(p.Theirs, ", ", "`, `"), ours, p.Note)
		}
	}
	return b.String()
}

func TestDocsFromLightGBMAreCurrent(t *testing.T) {
	const path = "../../docs/from-lightgbm.md"
	text := fromLightGBM(t)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	current, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.True(t, string(current) == text, "run: go test ./cmd/lambdamart -run Docs -update")
}

// TestPagesBeginWithWhatChangesTrees: who comes from LightGBM reads first why the same parameters give other
// trees.
func TestPagesBeginWithWhatChangesTrees(t *testing.T) {
	for path, heading := range map[string]string{
		"../../docs/from-lightgbm.md": "# From LightGBM", "../../docs/python.md": "## From LGBMRanker",
	} {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		_, section, found := strings.Cut(string(text), heading)
		require.True(t, found, path)
		_, section, _ = strings.Cut(section, "\n\n")
		paragraph, _, _ := strings.Cut(section, "\n\n")
		for _, name := range []string{"lambdarank_ties=", "active_fraction=1"} {
			assert.Contains(t, paragraph, name, path)
		}
	}
}

// TestNotesAreAboutLightGBMsParameters: every note is about a parameter that LightGBM has.
func TestNotesAreAboutLightGBMsParameters(t *testing.T) {
	names, _ := readPairs(t, "testdata/lightgbm_aliases.txt")
	for name := range lightGBMNotes {
		assert.Contains(t, names, name)
	}
}
