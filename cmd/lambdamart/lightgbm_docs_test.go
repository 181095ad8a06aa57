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

// The tables of docs/from-lightgbm.md are generated from the program's own table, and from lists of
// LightGBM's parameters in testdata, of which lightgbm_notes.txt says how parameters differ here. Different
// defaults are found by comparison. When a parameter gains an effect, regenerating the page moves it to the
// right place.

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

// fromLightGBM returns the page with its tables anew, and the text before them as it is.
func fromLightGBM(t *testing.T, page string) string {
	t.Helper()
	const tables = "## LightGBM\n| parameter | here | |\n|---|---|---|\n"
	before, _, found := strings.Cut(page, tables)
	require.True(t, found)
	var b strings.Builder
	b.WriteString(before + tables)
	names, _ := readPairs(t, "testdata/lightgbm_aliases.txt")
	_, defaults := readPairs(t, "testdata/lightgbm_defaults.txt")
	noted, notes := readPairs(t, "testdata/lightgbm_notes.txt")
	assert.Subset(t, names, noted)
	table := allParameters()
	for _, name := range names {
		row := table.Find(name)
		require.NotNil(t, row, name)
		here, how := placeOf(row, name, defaults, notes[name])
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, here, how)
	}
	b.WriteString(fromOthers(t, table))
	return b.String()
}

// placeOf returns this program's equivalent of a parameter of LightGBM, and a note.
func placeOf(row *param.Parameter, name string, defaults map[string]string, note string) (here, how string) {
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
	var ofRankLib []wording.Foreign
	for _, row := range rankLib {
		ofRankLib = append(ofRankLib, wording.Foreign{Theirs: row[0], Ours: row[1], Note: row[2]})
	}
	for _, program := range []struct {
		name string
		all  []wording.Foreign
	}{{"XGBoost's parameters for ranking", wording.XGBoost},
		{"CatBoost's parameters for ranking", wording.CatBoost},
		{"RankLib's options", ofRankLib}} {
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
	requireCurrent(t, "../../docs/from-lightgbm.md", func(page string) string { return fromLightGBM(t, page) })
}

// rankLib lists RankLib's options as [wording.Foreign] has parameters.
var rankLib = [][3]string{
	{"-ranker 6", "objective",
		"lambdarank, the default; 0 (MART) is regression, and 8 (random forests) is scored, not " +
			"trained"},
	{"-train, -validate", "data", "and valid, whose first set decides"},
	{"-tree", "num_iterations", "RankLib's default is 1000"},
	{"-leaf", "num_leaves", "RankLib's default is 10"},
	{"-shrinkage", "learning_rate", ""},
	{"-tc", "max_bin", "RankLib's default is 256; at most 65535 in place of all values (-1)"},
	{"-mls", "min_data_in_leaf", "RankLib's default is 1"},
	{"-estop", "patience", "RankLib's default is 100"},
	{"-metric2t", "stop_metric", "metric_convention=ranklib has its values; its default is ERR@10"},
	{"-metric2T", "metric", ""},
	{"-gmax", "label_gain", "a grade may be as large as the list is long"},
	{"-kcv", "folds", "of lambdamart cv"},
	{"-norm zscore, linear", "query_context", "columns beside the features"},
	{"-bag, -srate, -frate", "bagging_fraction",
		"and feature_fraction; random forests are scored, not trained"},
	{"-load, -rank, -score", "input_model", "of lambdamart predict, which reads RankLib's models"},
}
