package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestStudiesStateTheirRule: what curve, select and tune show are averages over neighboring iterations, or
// values of the iteration that these choose, and the terminal says so; cv with a preset says that its models
// are no ensembles.
func TestStudiesStateTheirRule(t *testing.T) {
	dir := folderWithData(t)
	few := []string{"data=train.txt", "num_iterations=3", "num_leaves=3", "min_data_in_leaf=2", "folds=2"}
	judged := "warning: metric_freq has no effect here: every iteration is judged"
	const rule = "The best iteration is that with the largest average over the neighboring iterations, from " +
		"7/8 to 9/8"
	for command, more := range map[string][]string{"curve": nil, "select": nil, "tune": {"max_trainings=2"}} {
		got := succeed(t, dir, append(append([]string{command, "metric_freq=2"}, few...), more...)...)
		assert.Contains(t, got.stdout, rule, command)
		assert.Contains(t, got.stderr, judged, command)
	}
	got := succeed(t, dir, append([]string{"cv", "preset=auto"}, few[:4]...)...)
	assert.Contains(t, got.stderr, "cv judges one model a fold, and train preset=auto averages several")
	got = succeed(t, dir, append([]string{"cv", "output=other", "metric_freq=2", "num_iterations=1"},
		append(few[:1:1], few[2:]...)...)...)
	assert.NotContains(t, got.stderr, "one model a fold")
	assert.Contains(t, got.stderr, judged)
	assert.Contains(t, got.stderr,
		"warning: the best iteration is the last one, 1: more may be better; raise num_iterations")
}

// TestDumpsOfXGBoostMayLackWeights: XGBoost's dump lacks the tree weights of dart and does not tell whether
// the model is dart, so reading one prints a warning.
func TestDumpsOfXGBoostMayLackWeights(t *testing.T) {
	dir := folderWithData(t)
	content, err := os.ReadFile(filepath.Join("../../io/model/internal/xgboost/testdata", "1.7.6-dart.dump1"))
	require.NoError(t, err)
	writeFile(t, dir, "dump.json", strings.ReplaceAll(string(content), `"f0"`, `"f4"`)) // LETOR: from 1
	for _, line := range []string{
		"predict data=train.txt input_model=dump.json output_result=-",
		"eval data=train.txt input_model=dump.json",
		"compare data=train.txt input_model=dump.json,dump.json",
		"model dump.json",
		"model dump.json join=dump.json output=joined.txt",
		"export dump.json to=lightgbm output=m.txt",
		"explain data=train.txt input_model=dump.json",
		"refit data=train.txt input_model=dump.json output_model=n.txt",
	} {
		got := execute(t, dir, strings.Fields(line)...)
		assert.Contains(t, got.stderr, "dump.json: a dump of XGBoost does not tell whether it is of dart", line)
	}
	c := command(t, dir, "serve", "dump.json", "address=127.0.0.1:0")
	stderr, err := c.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	defer c.Process.Kill()
	first, err := bufio.NewReader(stderr).ReadString('\n')
	require.NoError(t, err)
	assert.Contains(t, first, "does not tell whether it is of dart")
}

// TestFeaturesAreCountedAsPeopleCount: column 0 of LETOR text that has no feature 0 is no feature, nor is a
// column of query ids; binned data, validation sets and models have the same number.
func TestFeaturesAreCountedAsPeopleCount(t *testing.T) {
	for _, c := range []struct{ text, more, want, used string }{
		{"0 qid:1 1:1 3:2\n1 qid:1 1:2\n0 qid:2 1:1 3:1\n1 qid:2 1:3\n", "",
			"(median 2), 3 features, numbered 1 to 3;", "used of 3"},
		{"0 qid:1 1:1 3:2\n1 qid:1 1:2\n0 qid:2 1:1 3:1\n1 qid:2 1:3\n", " feature_base=1",
			"(median 2), 3 features, numbered 1 to 3;", "used of 3"},
		{"0 qid:1 0:1 2:2\n1 qid:1 0:2\n0 qid:2 0:1 2:1\n1 qid:2 0:3\n", "",
			"(median 2), 3 features, numbered 0 to 2;", "used of 3"},
		{"label,qid,a,b\n0,1,1,2\n1,1,2,2\n0,2,1,5\n1,2,3,5\n", "", "(median 2), 2 features;", "used of 2"},
		{"label,qid,a,b,url\n0,1,1,2,1\n1,1,2,2,1\n0,2,1,5,1\n1,2,3,5,1\n", " ignore_column=name:url",
			"(median 2), 2 features;", "used of 2"},
		{"label,a,qid,w,b\n0,1,1,1,2\n1,2,1,1,2\n0,1,2,1,5\n1,3,2,1,5\n", " weight_column=name:w",
			"(median 2), 2 features;", "used of 2"},
		{"label,qid,a,b\n0,1,1,2\n1,1,2,2\n0,2,1,5\n1,2,3,5\n", " query_context=zscore",
			"(median 2), 4 features;", "used of 4"},
		{"0 qid:1 1:1 3:2\n1 qid:1 1:2\n0 qid:2 1:1 3:1\n1 qid:2 1:3\n", " query_context=zscore",
			"(median 2), 6 features;", "used of 6"},
	} {
		dir := t.TempDir()
		writeFile(t, dir, "t", c.text)
		more := strings.Fields(c.more)
		trained := succeed(t, dir, append([]string{"train", "data=t", "valid=t", "min_data_in_leaf=1",
			"num_iterations=1",
			"output_model=m.txt"}, more...)...)
		assert.Equal(t, 2, strings.Count(trained.stderr, c.want), "%v\n%s", c, trained.stderr)
		assert.Regexp(t, " of "+c.want[len("(median 2), "):][:1]+" features (vary|varies), in ", trained.stderr, c)
		assert.Contains(t, succeed(t, dir, "model", "m.txt").stdout, c.used, c)
		binned := succeed(t, dir, append([]string{"bin", "data=t", "output=t.bin"}, more...)...).stderr
		assert.Contains(t, binned, c.want, c)
		again := succeed(t, dir, "train", "data=t.bin", "min_data_in_leaf=1", "num_iterations=1",
			"output_model=2.txt").stderr
		counted, _, _ := strings.Cut(c.want, " features") // that 0 is the first one is not in the file
		assert.Contains(t, again, counted+" features", c)
	}

	dir := t.TempDir() // the query ids of the table are column 0, which the text does not have
	writeFile(t, dir, "t.csv", "label,qid,a,b\n0,1,1,2\n1,1,2,2\n0,2,1,5\n1,2,3,5\n")
	writeFile(t, dir, "v.txt", "0 qid:1 1:1 2:2\n1 qid:1 1:2 2:5\n")
	trained := succeed(t, dir, "train", "data=t.csv", "valid=v.txt", "min_data_in_leaf=1", "output_model=m.txt")
	assert.Contains(t, trained.stderr, "(median 2), 2 features, numbered 1 to 2;")
}

// TestRowSamplingIsSaid: above 40,000 rows, every command that trains states once that trees may grow on
// fewer. With active_fraction=1 none does.
func TestRowSamplingIsSaid(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder"), 0o777))
	writeLarge(t, dir, "folder/train.txt", 2500) // 100,000 rows
	writeLarge(t, dir, "folder/vali.txt", 20)
	writeLarge(t, dir, "folder/test.txt", 20)
	few := "num_iterations=1 patience=0"
	const says = "trees grow on every row, or on fewer down to 1 row of %s where"
	for _, c := range []struct{ args, share string }{
		{"train data=folder/train.txt", "25"},
		{"cv data=folder/train.txt folds=2 output=cv", "12.5"},
		{"tune data=folder/train.txt folds=2 max_trainings=2 search=num_leaves=2..3 output=tune", "12.5"},
		{"tune data=folder/train.txt valid=folder/vali.txt max_trainings=2 search=num_leaves=2..3 " +
			"output=tune-valid", "25"},
		{"select data=folder/train.txt folds=2 output=select", "12.5"},
		{"bench data=folder rankers=lambdamart seeds=2 output=bench", "25"},
	} {
		args := strings.Fields(c.args + " " + few)
		got := succeed(t, dir, args...).stderr
		assert.Equal(t, 1, strings.Count(got, fmt.Sprintf(says, c.share)), "%s: %s", c.args, got)
		assert.Equal(t, 1, strings.Count(got, "trees grow on"), "%s: %s", c.args, got)
		assert.Equal(t, args[0] == "train", strings.Contains(got, "rows that trees grew on:"), c.args)
	}
	all := succeed(t, dir, strings.Fields("train data=folder/train.txt active_fraction=1 "+few)...).stderr
	assert.NotContains(t, all, "trees grow on")
}

// writeLarge writes queries of 40 documents with two features.
func writeLarge(t *testing.T, dir, name string, queries int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 5))
	var b strings.Builder
	for q := range queries {
		for range 40 {
			a := rng.IntN(100)
			fmt.Fprintf(&b, "%d qid:%d 1:%d 2:%d\n", a/40, q, a, rng.IntN(100))
		}
	}
	writeFile(t, dir, name, b.String())
}

// TestCutoffsThatNoMetricTakes: a metric with a cut-off, as the default of compare, ignores eval_at.
func TestCutoffsThatNoMetricTakes(t *testing.T) {
	dir := trained(t)
	for _, command := range []string{"eval input_model=model.txt", "compare model.txt model.txt",
		"train valid=test.txt num_iterations=1 min_data_in_leaf=5 output_model=other.txt",
		"cv num_iterations=1 min_data_in_leaf=5 folds=2"} {
		words := strings.Fields(command + " data=test.txt eval_at=3")
		assert.Contains(t, succeed(t, dir, append(words, "metric=ndcg@10")...).stderr,
			"warning: eval_at has no effect on metric=ndcg@10", command)
		for _, metric := range []string{"metric=ndcg", "metric=ndcg@10,map"} {
			assert.NotContains(t, succeed(t, dir, append(words, metric)...).stderr, "no effect", command)
		}
	}
}
