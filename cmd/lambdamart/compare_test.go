package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// threeColumns returns a table of 40 queries with three score columns: a ranks the worst documents first, b
// ranks the best documents first in 30 of the queries, and c equals a.
func threeColumns() string {
	var b strings.Builder
	b.WriteString("query,target,a,b,c\n")
	for q := range 40 {
		for d := range 5 + q%4 {
			target := (q*q + d) % 3
			worst, best := -target, -target
			if q%4 > 0 {
				best = target
			}
			fmt.Fprintf(&b, "q%d,%d,%d,%d,%d\n", q, target, worst, best, worst)
		}
	}
	return b.String()
}

// TestCompareByAConvention: systems of every kind are compared under the convention given by the parameter.
func TestCompareByAConvention(t *testing.T) {
	dir := trained(t)
	writeFile(t, dir, "t.csv", threeColumns())
	for _, column := range []string{"a", "b"} {
		succeed(t, dir, "eval", "data=t.csv", "score_field="+column, "metric=ndcg@5",
			"metric_convention=default,sklearn", "per_query="+column+".csv")
	}
	const rules = "ndcg@5 (sklearn: linear gain, log2 discount, empty query = 0, ties averaged)"
	bySKLearn := succeed(t, dir, "compare", "a", "b", "data=t.csv", "metric=ndcg@5", "metric_convention=sklearn",
		"churn_at=0").stdout
	assert.Contains(t, bySKLearn, rules+" over 40 queries\n")
	byDefault := succeed(t, dir, "compare", "a", "b", "data=t.csv", "metric=ndcg@5", "churn_at=0").stdout
	assert.NotEqual(t, figures(byDefault), figures(bySKLearn))
	for _, args := range [][]string{{"metric_convention=sklearn"},
		{"metric_convention=sklearn", "metric=ndcg@5"}} {
		byFiles := succeed(t, dir, append([]string{"compare", "a.csv", "b.csv"}, args...)...).stdout
		assert.Contains(t, byFiles, "ndcg@5:sklearn over 40 queries\n")
		assert.Equal(t, figures(bySKLearn), figures(byFiles))
	}
	got := execute(t, dir, "compare", "a.csv", "b.csv", "metric_convention=lightgbm")
	assert.Equal(t, 1, got.status)
	assert.Contains(t, got.stderr,
		"a.csv: no column of the convention lightgbm; there are ndcg@5:default, ndcg@5:sklearn")

	succeed(t, dir, "predict", "data=test.txt", "input_model=model.txt", "output_result=s.txt")
	got = succeed(t, dir, "compare", "model.txt", "s.txt", "data=test.txt", "metric=ndcg@5",
		"metric_convention=trec_eval")
	assert.Contains(t, got.stdout, "ties by document id", "document ids are read for it")
}

// figures returns the figures that compare printed about the first pair, without the sentences after them.
func figures(report string) string {
	_, rest, _ := strings.Cut(report, "\n\n")
	return rest[:strings.LastIndex(rest, "\n\n")]
}

// TestCompareRemarksOnSharedDataOnce: what concerns the data, which all systems share, is said once, and what
// concerns a system is said with its name.
func TestCompareRemarksOnSharedDataOnce(t *testing.T) {
	dir := trained(t)
	writeFile(t, dir, "t.csv", "query,target,a,b\n1,1,.5,.3\n1,,.1,.2\n2,1,.5,nan\n2,nan,1,1\n1,0,3,3\n")
	writeFile(t, dir, "wide.txt", "0 qid:1 90:1\n1 qid:2 90:2\n1 qid:1 1:1\n2 qid:2 1:2\n")
	writeFile(t, dir, "other.txt", readFile(t, dir, "model.txt"))
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"a", "b", "data=t.csv"}, []string{
			"warning: t.csv: 1 document has no target", "warning: t.csv: 1 target is NaN",
			"note: t.csv: the rows of a query do not follow each other", "warning: b: 1 score is NaN",
			"note: no churn: documents without a score, and none has an id"}},
		{[]string{"model.txt", "other.txt", "data=wide.txt"}, []string{
			"warning: the data has columns up to 90", "note: wide.txt: the rows of a query do not follow each other"}},
	} {
		got := succeed(t, dir, append([]string{"compare"}, c.args...)...).stderr
		remarks := strings.Count(got, "warning: ") + strings.Count(got, "note: ")
		assert.Equal(t, len(c.want)+1, remarks, got) // and that the queries are few
		for _, want := range c.want {
			assert.Equal(t, 1, strings.Count(got, want), "%s\n%s", want, got)
		}
	}
}
