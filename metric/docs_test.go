package metric

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

//go:generate go test -run Docs -update

var update = flag.Bool("update", false, "rewrite docs/metrics.md")

const docsHeader = `# Metrics

Made from the register of package metric by ` + "`go test ./metric -run Docs -update`" + `. Upper and lower case do not matter in names.
A cut-off follows an @, as in ` + "`ndcg@10`" + `. A metric without one is taken at each of the cut-offs of ` + "`eval_at`" + `. Where ` + "`eval_at`" + `
is not given either, ` + "`ndcg`, `dcg`, `p` and `recall`" + ` are taken at 1 to 5, and in all other metrics all ranks count. LightGBM takes ` + "`map`" + `
at 1 to 5 then, which is ` + "`eval_at=1,2,3,4,5`" + ` here. In functions of Go and Python that name one
metric, all ranks count without a cut-off. A number follows a colon, as in ` + "`rbp:0.95@20`" + `.

**Weights.** Data has a weight for each document: the companion ` + "`.weight`" + ` with a line for each, ` + "`weight_column`" + `, or ` + "`sample_weight`" + ` in Python.
Objectives multiply the gradients of a document by its weight. Metrics weigh queries: the mean over queries is weighted by the mean weight of
each query's documents, as in LightGBM. To weigh whole queries, as XGBoost does, give all documents of a query the same weight, or a ` + "`.weight`" + `
with a line for each query. Conventions that neglect weights say so.

A document without a score, or whose score is NaN, is judged but not ranked, with a warning: it counts in the ideal ranking and takes no
rank. So it is in ` + "`eval`, `compare`" + ` and Python's ` + "`evaluate` and `compare`" + `. In training a score that is NaN is an error: the objective or the
metric of the caller's own is wrong.

## Weighted queries, intervals and tests

One rule holds wherever queries are averaged or compared: in training, ` + "`eval`, `compare`, `cv`, `tune`, `select`, `bench`, `explain`" + ` and
` + "`query_context_features=auto`" + `. A query counts if the convention counts it and its weight is not 0. With w its weight, x its value, or the
difference of two rankers on it, n the number of queries and W the sum of weights:

- The mean is the sum of w x / W. Means of folds are joined by the weights of their queries, so that the whole has this mean too.
- The queries are worth W² / sum of w² queries of equal weight (Kish's effective number).
- The standard error is that of the jackknife, which leaves each query out: the root of (n-1)/n times the sum of (w (x - mean) / (W - w))².
  For equal weights that is the standard deviation over the root of n.
- The interval is mean ± q standard errors. q is a quantile of the same ratio in resamples of the queries, drawn with their weights (symmetric
  studentized bootstrap), but at least that of Student's t, with one degree of freedom less than the effective number, and at most 1.5 times that.
  Intervals of the mean of a metric whose values lie between 0 and 1 end there.
- Paired tests: Student's t is the mean difference over its standard error. Fisher's randomization test exchanges the two values of a query,
  whatever its weight. Cohen's d is t over the root of the effective number. Wins, ties and losses are numbers of queries.
- Wilcoxon's test goes by ranks, in which weights have no place: there is none of queries with different weights.
- The conventions ` + "`lightgbm` and `xgboost`" + ` add the ndcg of a query without a relevant document without its weight, as those tools do. That is no mean
  of queries: with weights and such queries, ` + "`eval`" + ` prints it without an interval, and the others refuse it: ` + "`cv`, `tune` and `select`" + ` before they train.

Weights that are all equal change nothing. ` + "`metric/testdata/generate.py`" + ` computes all of this once more by enumeration.

Intervals of few queries are rough, and below 20 queries, or an effective number below 20, a remark says so. This is the share of 95 % intervals that
have the true mean, of 10,000 simulated samples each (` + "`go test ./metric/significance -run Coverage -coverage-samples 10000 -v`" + `):

| queries | 3 | 5 | 8 | 12 | 20 | 50 | 100 |
|:--|--:|--:|--:|--:|--:|--:|--:|
| nDCG: 15 % are 0, 12 % are 1 | .969 | .970 | .965 | .957 | .950 | .949 | .951 |
| reciprocal rank | .898 | .941 | .960 | .967 | .958 | .953 | .956 |
| differences: 40 % are 0, long tails | .922 | .975 | .982 | .982 | .978 | .969 | .963 |
| differences, weights from 1 to 10 | .921 | .970 | .981 | .985 | .979 | .974 | .969 |

## Names

`

// docs describes the register and the presets in Markdown.
func docs() string {
	var b strings.Builder
	b.WriteString(docsHeader + "| metric | other names | cut-off | number | value |\n|---|---|---|---|---|\n")
	for _, kind := range Kinds() {
		number := ""
		if n := kind.Number; n != nil {
			number = fmt.Sprintf("%s %s, default %v", n.Name, n.Range, n.Default)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", kind.Name, inCode(kind.Aliases), kind.Cutoff, number, kind.Help)
	}
	b.WriteString("\n## Conventions\n\nTools compute a metric of one name by different rules. `metric_convention` chooses whose rules hold.\n\n" +
		"`map@k` is divided by the number of relevant documents, or by k if that is smaller; `p@k` of a query with fewer documents by k, or by their number.\n\n" +
		"| convention | gain | discount | empty query | equal scores | relevant above | map@k by | p@k by | weights |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, c := range Presets() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %v | %s | %s | %s |\n", c.Name, c.Gain, c.Discount, c.Empty, c.Ties, c.RelevantAbove,
			choose(c.AP == APReachable, "k if smaller", "relevant"), choose(c.Short == ShortCut, "documents", "k"),
			[]string{"taken", "taken, but for empty queries in ndcg", "neglected"}[c.Weights])
	}
	return b.String() + toolDocs()
}

func choose(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

func inCode(words []string) string {
	var quoted []string
	for _, word := range words {
		quoted = append(quoted, "`"+word+"`")
	}
	return strings.Join(quoted, ", ")
}

func TestDocsAreCurrent(t *testing.T) {
	const path = "../docs/metrics.md"
	text := docs()
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	current, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.True(t, string(current) == text, "run: go test ./metric -run Docs -update")
}
