package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCheckExportFindsADifference changes one threshold of the exported file.
func TestCheckExportFindsADifference(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "model.txt", modelText(2, "0.5", "0.25 -1"))
	succeed(t, dir, "export", "model.txt", "to=solr", "output=m.json", "vectors=20")
	text := readFile(t, dir, "m.json")
	require.Contains(t, text, `"threshold":"0.499999"`)
	writeFile(t, dir, "changed.json", strings.Replace(text, `"0.499999"`, `"0.49"`, 1))
	got := execute(t, dir, "check-export", "changed.json", "m.json.vectors.json")
	assert.Equal(t, exitFailure, got.status)
	assert.Regexp(t, `^changed.json: Solr JSON, 1 tree, for solr; sums in float32\n`+
		`20 vectors: \d+ scores differ, by up to 1.25 \(row \d+\)\n`+
		`first in row 0: score -1, want 0.25\n  Column_2  0.5\n$`, got.stdout)
	assert.Contains(t, got.stderr, "scores differ from the exported model's")
}

func TestExportRenames(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "model.txt", modelText(2, "0.5", "0.25 -1"))
	writeFile(t, dir, "names.tsv", "Column_2\ttitle match\n\nColumn_0 unused\n")
	succeed(t, dir, "export", "model.txt", "to=solr", "features=names.tsv", "output=m.json", "vectors=5",
		"model_name=ours", "feature_store=here")
	assert.Contains(t, readFile(t, dir, "m.json"),
		`"name":"ours","store":"here","features":[{"name":"title match"}]`)
	assert.Contains(t, readFile(t, dir, "m.json.vectors.json"), `"features":["unused","Column_1","title match"`)
	succeed(t, dir, "check-export", "m.json")
}

// TestExportToRankLibNumbers: RankLib identifies features by number.
func TestExportToRankLibNumbers(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "model.txt", modelText(2, "0.5", "0.25 -1"))
	writeFile(t, dir, "names.tsv", "Column_2\t7\n")
	for want, args := range map[string][]string{
		"<feature>2</feature>": {"feature_base=0"}, // as in LETOR files
		"<feature>3</feature>": {"feature_base=1"},
		"<feature>7</feature>": {"features=names.tsv"},
	} {
		succeed(t, dir, append([]string{"export", "model.txt", "to=ranklib", "output=m.xml", "vectors=30"},
			args...)...)
		assert.Contains(t, readFile(t, dir, "m.xml"), want)
		succeed(t, dir, "check-export", "m.xml")
	}
}

// nanModel returns a model whose split sends NaN right and 0 left: bit 8 of decision_type marks NaN as
// missing.
func nanModel() string {
	return strings.Replace(modelText(2, "0.5", "0.25 -1"), "decision_type=2\n", "decision_type=8\n", 1)
}

// TestExportMissingValues exports a split that sends missing values to the right and zeros to the left.
func TestExportMissingValues(t *testing.T) {
	dir := t.TempDir()
	require.Contains(t, nanModel(), "decision_type=8")
	writeFile(t, dir, "model.txt", nanModel())
	for to, mark := range map[string]string{
		"solr": `"isNullSameAsZero":false`, "opensearch": `"missing":2`, "xgboost": `"default_left":[0,`,
	} {
		succeed(t, dir, "export", "model.txt", "to="+to, "output=x", "vectors=20")
		assert.Contains(t, readFile(t, dir, "x"), mark)
		assert.Contains(t, readFile(t, dir, "x.vectors.json"), "null")
	}
	got := execute(t, dir, "export", "model.txt", "to=ranklib", "output=y")
	assert.Equal(t, exitFailure, got.status)
	assert.Contains(t, got.stderr, ": RankLib cannot hold this model: tree 0, node 0")
	assert.Contains(t, got.stderr, "; with no_missing=true it is written for rows without missing values")
	assert.NoFileExists(t, dir+"/y")
	for _, to := range []string{"solr", "ranklib"} {
		succeed(t, dir, "export", "model.txt", "to="+to, "output=x", "vectors=20", "no_missing=true")
		assert.NotContains(t, readFile(t, dir, "x"), "isNull")
		assert.NotContains(t, readFile(t, dir, "x.vectors.json"), "null")
	}
	for _, output := range []string{"", "-"} {
		got := succeed(t, dir, "export", "model.txt", "to=xgboost-json", "output="+output)
		assert.Contains(t, got.stderr, "wrote standard output (")
	}
}
