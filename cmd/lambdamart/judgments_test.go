package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// folderWithLogs returns a folder with logged features, judgments, a feature set and clicks.
func folderWithLogs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 1))
	var logged, judged, clicks strings.Builder
	judged.WriteString("qid,docid,grade\n")
	clicks.WriteString("query,doc,position,click\n")
	for q := range 40 {
		var hits []string
		for d := range 10 {
			title := rng.Float64()
			value := fmt.Sprintf(`,"value":%.6f`, title)
			if rng.IntN(10) == 0 {
				value = ""
			}
			hits = append(hits, fmt.Sprintf(`{"_id":"d%d","fields":{"_ltrlog":[{"main":[{"name":"body","value":%.6f},{"name":"title"%s}]}]}}`, d, rng.Float64(), value))
			fmt.Fprintf(&judged, "q%d,d%d,%d\n", q, d, int(3*title))
			for range 5 {
				fmt.Fprintf(&clicks, "q%d,d%d,%d,%d\n", q, d, 1+rng.IntN(4), rng.IntN(2))
			}
		}
		fmt.Fprintf(&logged, "{\"qid\":\"q%d\",\"response\":{\"hits\":{\"hits\":[%s]}}}\n", q, strings.Join(hits, ","))
	}
	writeFile(t, dir, "logged.jsonl", logged.String())
	writeFile(t, dir, "judged.csv", judged.String())
	writeFile(t, dir, "clicks.csv", clicks.String())
	writeFile(t, dir, "set.json", `{"featureset":{"features":[{"name":"title"},{"name":"body"}]}}`)
	return dir
}

// TestJudgmentsToEngine goes from logs to a model for the engine in two ways: by CSV with names, and by
// LETOR
// text with a file of names. Both give the same model.
func TestJudgmentsToEngine(t *testing.T) {
	dir := folderWithLogs(t)
	few := []string{"num_iterations=10", "num_leaves=5", "min_data_in_leaf=5"}
	got := succeed(t, dir, "judgments", "data=logged.jsonl", "judged=judged.csv", "feature_set=set.json", "output=train.csv")
	assert.Contains(t, got.stderr, "400 documents of 40 queries, 2 features")
	assert.True(t, strings.HasPrefix(readFile(t, dir, "train.csv"), "label,qid,title,body\n"))
	succeed(t, dir, "judgments", "data=logged.jsonl", "judged=judged.csv", "feature_set=set.json", "output=train.txt", "names_output=names.tsv")
	assert.Equal(t, "Column_1\ttitle\nColumn_2\tbody\n", readFile(t, dir, "names.tsv"))
	assert.Contains(t, readFile(t, dir, "train.txt"), "1:nan")
	succeed(t, dir, append([]string{"train", "data=train.csv", "label_column=name:label", "output_model=a.txt"}, few...)...)
	succeed(t, dir, append([]string{"train", "data=train.txt", "output_model=b.txt"}, few...)...)
	succeed(t, dir, "export", "a.txt", "to=elasticsearch", "output=a.json")
	succeed(t, dir, "export", "b.txt", "to=elasticsearch", "features=names.tsv", "output=b.json")
	assert.Equal(t, readFile(t, dir, "a.json"), readFile(t, dir, "b.json"))
	assert.Contains(t, readFile(t, dir, "a.json"), `"split":"title"`)

	succeed(t, dir, "judgments", "data=logged.jsonl", "judged=judged.csv", "feature_set=set.json", "output=train.parquet")
	succeed(t, dir, append([]string{"train", "data=train.parquet", "label_column=name:label", "output_model=c.txt"}, few...)...)
	assert.Equal(t, readFile(t, dir, "a.txt"), readFile(t, dir, "c.txt"))
}

func TestJudgmentsOfClicks(t *testing.T) {
	dir := folderWithLogs(t)
	succeed(t, dir, "judgments", "clicks=clicks.csv", "output=qrels.txt", "bias=bias.svg", "click_levels=5")
	assert.Regexp(t, `^q0 0 d0 [0-4]\n`, readFile(t, dir, "qrels.txt"))
	assert.Contains(t, readFile(t, dir, "bias.svg"), "Position bias")
	succeed(t, dir, "judgments", "clicks=clicks.csv", "click_model=coec", "output=judged2.csv", "bias=bias.csv")
	assert.Contains(t, readFile(t, dir, "bias.csv"), "position,bias,clicks,impressions\n1,")
	succeed(t, dir, "judgments", "data=logged.jsonl", "judged=judged2.csv", "output=by-file.csv")
	succeed(t, dir, "judgments", "data=logged.jsonl", "clicks=clicks.csv", "click_model=coec", "output=at-once.csv")
	assert.Equal(t, readFile(t, dir, "by-file.csv"), readFile(t, dir, "at-once.csv"))
}

func TestJudgmentsRefuse(t *testing.T) {
	dir := folderWithLogs(t)
	writeFile(t, dir, "other.json", `[{"name":"title"}]`)
	writeFile(t, dir, "nobody.csv", "qid,docid,grade\nx,y,1\n")
	refuseAll(t, dir, []refusal{
		{2, "judgments", "there is nothing to do"},
		{2, "judgments data=logged.jsonl output=x", "there are no judgments"},
		{2, "judgments data=logged.jsonl judged=judged.csv", "output is missing"},
		{2, "judgments judged=judged.csv output=x", "data is missing"},
		{2, "judgments judged=judged.csv clicks=clicks.csv data=logged.jsonl output=x", "judged and clicks exclude each other"},
		{2, "judgments data=logged.jsonl judged=judged.csv bias=b.csv output=x", "bias has no effect without clicks"},
		{2, "judgments clicks=clicks.csv missing_as_zero=true output=x", "missing_as_zero has no effect without data"},
		{1, "judgments clicks=clicks.csv min_impressions=1000 output=x", "no document was shown 1000 times"},
		{2, "judgments clicks=clicks.csv output=x.gz", "would not be compressed"},
		{2, "judgments clicks=clicks.csv output=clicks.csv", "would be overwritten"},
		{2, "judgments clicks=clicks.csv output=x.parquet", "only training data is written as Parquet"},
		{2, "judgments clicks=clicks.csv log_name=l click_prior=2 output=x", "log_name has no effect without data"},
		{2, "judgments data=logged.jsonl judged=judged.csv click_prior=2 bias=b output=x", "click_prior has no effect without clicks"},
		{2, "judgments clicks=clicks.csv names_output=n output=x", "there are no features"},
		{1, "judgments data=logged.jsonl judged=judged.csv feature_set=other.json output=x", `logged.jsonl:1: document "d0": feature "body": the feature is not in the feature set`},
		{1, "judgments data=logged.jsonl judged=nobody.csv output=x", "do the ids of queries and documents agree"},
		{1, "judgments data=judged.csv judged=judged.csv output=x", "judged.csv:1:"},
		{1, "judgments data=logged.jsonl judged=judged.csv output=/dev/full", "no space left on device"},
	}...)
	_, err := os.Stat(filepath.Join(dir, "x"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestJudgmentsRefuseForeignCompanions: a leftover weight file of earlier data would be read with the new
// data.
func TestJudgmentsRefuseForeignCompanions(t *testing.T) {
	dir := folderWithLogs(t)
	args := []string{"judgments", "data=logged.jsonl", "judged=judged.csv", "feature_set=set.json", "output=train.csv"}
	assert.NotContains(t, succeed(t, dir, args...).stderr, "missing everywhere", "every feature was logged")
	writeFile(t, dir, "train.csv.weight", "1\n")
	got := execute(t, dir, args...)
	assert.Equal(t, 2, got.status)
	assert.Contains(t, got.stderr, "train.csv.weight exists and would be read with the output")
}
