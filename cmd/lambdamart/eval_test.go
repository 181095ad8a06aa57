package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLETORInAnyOrderFromStandardInput(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "s.txt", "1\n2\n3\n")
	c := command(t, dir, "eval", "data=-", "scores=s.txt", "metric=ndcg@2", "per_query=q.csv")
	c.Stdin = strings.NewReader("1 qid:b 1:1\n1 qid:a 1:2\n0 qid:b 1:2\n")
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Contains(t, string(out), "note: -: the rows of a query do not follow each other")
	assert.Contains(t, readFile(t, dir, "q.csv"), "b,2,0.6309", "1/log2(3)")
	assert.Contains(t, readFile(t, dir, "q.csv"), "\na,1,1\n")
}

// TestSegmentsOfATable: a column has the segments even where a folder has its name. Segments whose queries
// have no value are listed without one, and the interval of a correlation is within -1 and 1.
func TestSegmentsOfATable(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "t.csv", "query,target,score,shop\na,1,2,x\na,0,1,x\nb,1,1,x\nb,0,1,x\nc,0,1,y\nd,0,1,\n")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "shop"), 0o777))
	got := succeed(t, dir, "eval", "data=t.csv", "metric=kendall", "by=shop", "tables=markdown")
	assert.Regexp(t, `\| kendall \| x +\| +2 \| 0.5000 \| -1.0000 to 1.0000 \|`, got.stdout)
	assert.Regexp(t, `\| kendall \| y +\| +0 \| +\| +\|`, got.stdout)
	assert.Regexp(t, `\| kendall \| \(empty\) \| +0 \|`, got.stdout)
	assert.Contains(t, got.stderr, `segment "y": no query counts`)
	for line, want := range map[string]string{"a": "2: wrong number of fields: 1, where the first line has 2",
		`a"b,x`: "2: bare"} {
		writeFile(t, dir, "s.csv", "query,segment\n"+line+"\n")
		got = execute(t, dir, "eval", "data=t.csv", "metric=kendall", "by=s.csv")
		assert.Contains(t, got.stderr, "s.csv:"+want)
	}
	writeFile(t, dir, "s.csv", "query,segment\na,x\nb,x\nc,x\nd,x\n")
	got = succeed(t, dir, "eval", "data=t.csv", "by=s.csv")
	assert.Contains(t, got.stderr, `segment "x": all queries are of it`)
}

// TestSegmentsOfTimes: times with a zone are named in UTC, which is said.
func TestSegmentsOfTimes(t *testing.T) {
	table, err := filepath.Abs("../../io/data/internal/table/testdata/types.parquet")
	require.NoError(t, err)
	judge := func(by string) outcome {
		return succeed(t, t.TempDir(), "eval", "data="+table, "query_field=texts", "target_field=label",
			"score_field=int", "metric=p@1", "by="+by)
	}
	got := judge("zoned_us")
	assert.Contains(t, got.stdout, "2024-02-29 12:30:15.5")
	assert.Contains(t, got.stderr, `: column "zoned_us" has times with a zone, which are shown in UTC`)
	assert.NotContains(t, judge("timestamp_us").stderr, "UTC")
}

// TestSegmentsBesideAModel: the segments are read with the label where the model's training data had it, and
// a column that has another use is refused by its parameter, by=.
func TestSegmentsBesideAModel(t *testing.T) {
	dir := t.TempDir()
	text := "shop,qid,clicks,w,f\n"
	for q := range 40 {
		text += fmt.Sprintf("s%d,%d,1,2,%d\ns%d,%d,0,2,%d\n", q%2, q, 2+q%3, q%2, q, q%2)
	}
	writeFile(t, dir, "t.csv", text)
	succeed(t, dir, "train", "data=t.csv", "label_column=name:clicks", "ignore_column=name:shop,w",
		"num_iterations=1")
	judge := func(more ...string) outcome {
		return execute(t, dir, append([]string{"eval", "data=t.csv", "input_model=model.txt", "metric=p@1"},
			more...)...)
	}
	got := judge("by=shop", "tables=markdown")
	assert.Regexp(t, `\| p@1 +\| s0 +\| +20 \|`, got.stdout, got.stderr)
	assert.Contains(t, judge("by=w", "tables=markdown").stdout, "| p@1")
	const refused = "the column has grades, weights or the query ids; name one with segments"
	assert.Contains(t, judge("by=clicks").stderr, "by=clicks: "+refused)
	assert.Contains(t, judge("by=w", "weight_column=name:w").stderr, "by=w: "+refused)
	assert.Contains(t, judge("by=qid", "group_column=name:qid").stderr, "by=qid: "+refused)
	assert.Contains(t, judge("by=qid").stderr, "(by=qid names the segments)")
	writeFile(t, dir, "t.csv", "qid,f\n1,2\n")
	got = judge()
	assert.NotContains(t, got.stderr, "taken for a column of scores")
	assert.Contains(t, got.stderr, "named like query ids; give label_column=name:NAME")
}

// TestWeightedTable: a table with scores has weights from a column or from a companion file, and they are
// not ignored. Query a is ranked well and weighs 9, b is ranked badly and weighs 1.
func TestWeightedTable(t *testing.T) {
	const table = "query,target,score,w\na,1,2,9\nb,0,2,1\na,0,1,9\nb,1,1,1\n"
	dir := t.TempDir()
	writeFile(t, dir, "t.csv", table)
	p := func(args ...string) string {
		return succeed(t, dir, append([]string{"eval", "data=t.csv", "score_field=score", "metric=p@1"},
			args...)...).stdout
	}
	assert.Contains(t, p(), "p@1 0.5000")
	weighted := p("weight_column=w")
	assert.Contains(t, weighted, "p@1 0.9000")
	assert.Equal(t, weighted, p("weight_column=name:w"))
	writeFile(t, dir, "t.csv.weight", "9\n1\n9\n1\n")
	assert.Equal(t, weighted, p())
	writeFile(t, dir, "t.csv.weight", "9\n1\n")
	got := execute(t, dir, "eval", "data=t.csv", "score_field=score")
	assert.Equal(t, 1, got.status)
	assert.Contains(t, got.stderr, "2 lines, 4 rows", "rows of queries do not follow each other")
	writeFile(t, dir, "t.csv", "query,target,score\na,1,2\na,0,1\nb,0,2\nb,1,1\n")
	assert.Contains(t, p(), "p@1 0.9000", "a line for each query")

	for args, want := range map[string]string{
		"weight_column=v": `column "v": there is no such column`,
		"label_column=0":  "label_column=0 has no effect on a table with a column of scores; give target_field=",
	} {
		got := execute(t, dir, "eval", "data=t.csv", "score_field=score", args)
		assert.NotZero(t, got.status, args)
		assert.Contains(t, got.stderr, want)
	}
}

// TestTheModelsParametersJudge: eval, compare, explain and pages judge a model by the gains and the
// convention of its training, unless told otherwise.
func TestTheModelsParametersJudge(t *testing.T) {
	dir := folderWithData(t)
	var vali, steep strings.Builder // grades that no model foresees, and grades above those that exp2 takes
	for i, line := range strings.Split(strings.TrimSpace(readFile(t, dir, "test.txt")), "\n") {
		grade, rest, _ := strings.Cut(line, " ")
		n, err := strconv.Atoi(grade)
		require.NoError(t, err)
		n = (n + i%5/3) % 3
		fmt.Fprintf(&vali, "%d %s\n", n, rest)
		fmt.Fprintf(&steep, "%d %s\n", 20*n, rest)
	}
	writeFile(t, dir, "vali.txt", vali.String())
	writeFile(t, dir, "steep.txt", steep.String())
	train := func(words ...string) string {
		given := append([]string{"train", "num_iterations=5", "min_data_in_leaf=5", "eval_at=10"}, words...)
		out := succeed(t, dir, given...).stdout
		return regexp.MustCompile(`ndcg@10 (\S+)`).FindAllStringSubmatch(out, -1)[0][1]
	}
	value := func(words ...string) string {
		return regexp.MustCompile(`ndcg@10 (?:is judged|\S+)`).FindString(succeed(t, dir, words...).stdout)
	}
	table := train("data=train.txt", "valid=vali.txt", "label_gain=0,1,100", "output_model=table.txt")
	assert.Equal(t, "ndcg@10 "+table, value("eval", "data=vali.txt", "input_model=table.txt", "metric=ndcg@10"))
	assert.NotEqual(t, "ndcg@10 "+table, value("eval", "data=vali.txt", "input_model=table.txt",
		"metric=ndcg@10", "label_gain=exp2"))
	zero := train("data=train.txt", "valid=vali.txt", "metric_convention=sklearn", "output_model=zero.txt")
	assert.Equal(t, "ndcg@10 "+zero, value("eval", "data=vali.txt", "input_model=zero.txt", "metric=ndcg@10"))
	assert.Contains(t, succeed(t, dir, "eval", "data=vali.txt", "input_model=zero.txt",
		"metric_convention=lightgbm").stdout, "lightgbm: exp2 gain")
	succeed(t, dir, "train", "data=train.txt", "metric_convention=sklearn", "num_iterations=2",
		"output_model=unwatched.txt")
	assert.Contains(t, succeed(t, dir, "eval", "data=vali.txt", "input_model=unwatched.txt").stdout, "sklearn: ")

	linear := train("data=steep.txt", "valid=steep.txt", "num_leaves=3", "label_gain=linear", "report=page.html",
		"output_model=linear.txt")
	assert.Equal(t, "ndcg@10 "+linear, value("eval", "data=steep.txt", "input_model=linear.txt",
		"metric=ndcg@10"))
	assert.NotEqual(t, "1.0000", linear)
	page := readFile(t, dir, "page.html")
	assert.True(t, strings.Contains(page, "Mean ndcg@10: "+linear+"."), "the value of the page")
	assert.True(t, strings.Contains(page, "by the convention default with gain linear: linear gain"),
		"the convention of the page")
	explained := succeed(t, dir, "explain", "data=steep.txt", "input_model=linear.txt",
		"sample_queries=1000").stdout
	lost, err := strconv.ParseFloat(regexp.MustCompile(`lose (\S+) of ndcg@10`).FindStringSubmatch(explained)[1],
		64)
	require.NoError(t, err)
	assert.Equal(t, linear, fmt.Sprintf("%.4f", 1-lost))
	for _, c := range []refusal{
		{2, "compare table.txt linear.txt data=vali.txt", "table.txt was trained with metric_convention=default " +
			"label_gain=0,1,100, and linear.txt with metric_convention=default label_gain=linear: give " +
			"metric_convention= and label_gain="},
		{1, "explain data=steep.txt input_model=linear.txt label_gain=exp2", "2^label - 1 is for labels up to 31"},
		{1, "explain data=steep.txt input_model=linear.txt label_gain=exp2 for_query=1000 json=true",
			"2^label - 1 is for labels up to 31"},
	} {
		refuse(t, dir, c)
	}
	assert.Contains(t, succeed(t, dir, "compare", "table.txt", "linear.txt", "data=vali.txt",
		"label_gain=exp2").stdout, "default: exp2 gain")
	succeed(t, dir, "train", "data=steep.txt", "ranker=listnet", "hidden_layers=4", "epochs=1",
		"label_gain=linear", "output_model=net.txt")
	assert.Contains(t, succeed(t, dir, "eval", "data=steep.txt", "input_model=net.txt").stdout,
		"default with gain linear", "a network")
	assert.Contains(t, succeed(t, dir, "compare", "linear.txt", "linear.txt", "data=steep.txt").stdout,
		"default with gain linear")
}

// TestAMetricIsReportedWithItsOwnRules: whatever reports a metric states the rules that matter to it, and how
// many queries its mean leaves out, which another metric of the same line may count.
func TestAMetricIsReportedWithItsOwnRules(t *testing.T) {
	dir := trained(t)
	writeFile(t, dir, "test.txt", readFile(t, dir, "test.txt")+"1 qid:alone 1:0.5\n")
	writeFile(t, dir, "train.txt.label.more", strings.Repeat("0\n1\n2\n", 160))
	const rules = "default: queries of one grade left out, ties averaged"
	judge := []string{"data=test.txt", "input_model=model.txt", "metric=ndcg@10,kendall"}
	one := succeed(t, dir, append([]string{"eval", "report=page.html"}, judge...)...).stdout
	left := regexp.MustCompile(`kendall \S+ \(` + rules + `; .*, (\d+) left out`).FindStringSubmatch(one)
	require.NotNil(t, left, one)
	assert.NotRegexp(t, `ndcg@10 .*left out`, one)
	page := readFile(t, dir, "page.html")
	assert.Contains(t, page, rules)
	assert.Equal(t, 1, strings.Count(page, "("+left[1]+" left out)"))
	several := succeed(t, dir, append([]string{"eval", "metric_convention=default,gdeval"}, judge...)...).stdout
	assert.Regexp(t, `(?m)^\d\.\d{4}  +\d\.\d{4} \(`+left[1]+` left out\)  default`, several, "kendall alone")
	compared := succeed(t, dir, "compare", "model.txt", "model.txt", "data=test.txt", "metric=kendall").stdout
	assert.Regexp(t, `\d+ queries that both systems have, of which kendall leaves out `+left[1]+`\. kendall \(`+
		rules, compared)

	for _, study := range [][]string{{"cv"}, {"curve", "shares=0.5,1"}, {"select"}, {"tune", "max_trainings=1"},
		{"tradeoff", "a=lambdarank@grade", "b=query_rmse@more", "label_columns=grade,more", "steps=2"}} {
		args := append(study, "data=train.txt", "folds=2", "num_iterations=2", "stop_metric=kendall")
		assert.Contains(t, succeed(t, dir, args...).stdout, rules, study[0])
	}
	assert.Contains(t, succeed(t, folderWithFolds(t), "bench", "config=bench.conf", "rankers=lambdamart",
		"metric=kendall").stdout, rules)
}
