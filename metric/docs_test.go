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
A cut-off follows an @ (` + "`ndcg@10`" + `); a metric without one is taken at each of the cut-offs of ` + "`eval_at`" + `. Without ` + "`eval_at`" + `, too,
` + "`ndcg`" + `, ` + "`dcg`" + `, ` + "`p`" + `, ` + "`recall`" + `, ` + "`success`" + ` and ` + "`judged`" + ` are taken at 1 to 5, and in all other metrics all ranks count (LightGBM takes ` + "`map`" + ` at 1 to 5). In functions of Go and
Python that name one metric, all ranks count without a cut-off. A number follows a colon, as in ` + "`rbp:0.95@20`" + `.
` + "`ndcg@10@click`" + ` is the metric of one of [several labels](objectives.md#several-objectives-and-labels).
` + "`map(rel=2)@10`" + ` takes documents of grade 2 or more for relevant, and ` + "`relevance_threshold=2`" + ` of ` + "`eval`" + ` and ` + "`compare`" + ` does so in each metric
that asks which documents are relevant (` + "`-l`" + ` of trec_eval).

trec_eval's names, such as ` + "`P_5`" + `, ` + "`ndcg_cut_10`" + `, ` + "`recip_rank`" + ` and ` + "`Rprec`" + `, are names too. With ` + "`metric_convention=trec_eval`" + ` alone all ranks
count where ` + "`eval`" + ` gets no cut-off, as in its ` + "`ndcg`" + `.

` + "`eval`" + ` also judges probabilities (` + "`predict probability=true`" + `, or any scores from 0 to 1): ` + "`metric=ece,log_loss,brier`" + `, each over all
documents by the weights of their queries. The event is ` + "`calibration_label`" + `. ` + "`log_loss`" + ` is the mean of -log of the probability of what
happened, ` + "`brier`" + ` the mean squared difference of the probability and 1 or 0, and ` + "`ece`" + `, the expected calibration error, the mean over 15
bins of equally many documents of the difference between their mean probability and their share of events (Guo et al., ICML 2017, with bins
that suit rare events). A table has the bins, and ` + "`report=page.html`" + ` draws them as a reliability diagram. ` + "`train`" + ` takes these metrics with
` + "`objective=binary`" + `, ` + "`cross_entropy`" + ` and ` + "`rank_calibrated`" + `, where the event is the label; early stopping goes by the smallest value.

Only TREC qrels say which documents are judged, for ` + "`bpref`" + ` and ` + "`judged`" + `; of other data all are. ` + "`kendall`" + ` and ` + "`spearman`" + ` leave out queries
without two grades, and are 0 where all scores are equal; equal scores share their ranks where the convention averages ties.

A document without a score, or whose score is NaN, is judged but not ranked, with a warning: it counts in the ideal ranking and takes no
rank. In training a NaN is an error: the objective or metric of the caller's own is wrong.

## Weights, intervals and tests

Data has a weight for each document: the companion ` + "`.weight`" + `, ` + "`weight_column`" + `, or ` + "`sample_weight`" + ` in Python. Objectives multiply gradients by
it. Metrics weigh a query by the mean weight of its documents, as LightGBM does; to weigh whole queries, as XGBoost does, give all its documents the same
weight, or a ` + "`.weight`" + ` with a line for each query.

One rule holds wherever queries are averaged or compared. A query counts if the convention counts it and its weight is not 0. With w its
weight, x its value or the difference of two rankers on it, n the number of queries and W the sum of weights:

- The mean is Σ w x / W. The queries are worth W² / Σ w² of equal weight (Kish's effective number).
- The standard error is that of the jackknife, the root of (n-1)/n · Σ (w (x - mean) / (W - w))²; for equal weights the standard
  deviation over the root of n.
- The interval is mean ± q standard errors. q is a quantile of the same ratio in resamples of the queries, drawn with their weights (symmetric
  studentized bootstrap), at least Student's t with one degree of freedom less than the effective number, and at most 1.5 times that.
  Intervals of metrics between 0 and 1 end there.
- Paired tests: Student's t is the mean difference over its standard error. Fisher's randomization test exchanges the two values of a query.
  Cohen's d is t over the root of the effective number. Wilcoxon's test, which goes by ranks, is left out for queries of different weights.
- The conventions ` + "`lightgbm`" + ` and ` + "`xgboost`" + ` add the ndcg of a query without a relevant document without its weight, as those tools do. That is
  no mean of queries: with weights and such queries, ` + "`eval`" + ` prints it without an interval, and ` + "`cv`" + `, ` + "`tune`" + ` and ` + "`select`" + ` refuse it.

Below 20 queries a remark says that intervals are rough. The share of 95 % intervals that have the true mean, of 10,000 simulated samples
(` + "`go test ./metric -run Coverage -coverage-samples 10000 -v`" + `):

| queries | 3 | 5 | 8 | 12 | 20 | 50 | 100 |
|:--|--:|--:|--:|--:|--:|--:|--:|
| nDCG: 15 % are 0, 12 % are 1 | .969 | .970 | .965 | .957 | .950 | .949 | .951 |
| reciprocal rank | .898 | .941 | .960 | .967 | .958 | .953 | .956 |
| differences: 40 % are 0, long tails | .922 | .975 | .982 | .982 | .978 | .969 | .963 |
| differences, weights from 1 to 10 | .921 | .970 | .981 | .985 | .979 | .974 | .969 |

## Churn
` + "`compare`" + ` says how many results change between each pair of systems, which differences of means do not tell: two systems with equal
nDCG may show other documents. With the first ` + "`churn_at`" + ` = k documents of each query, in means over queries:

- **overlap@k**: documents among the first k of both, divided by k, or by the number of documents where a query has fewer.
- **rank-biased overlap** (extrapolated; Webber, Moffat and Zobel, 2010, equation 32): overlap at every rank, weighted by the
  ` + "`churn_persistence`" + ` p with which a reader goes on to the next. 1 is the same order, 0 has no document in common.
- **other first document**: the share of queries whose first document changes.

## Names

`

// docs describes the registered metrics and the presets in Markdown.
func docs() string {
	var b strings.Builder
	b.WriteString(docsHeader + "| metric | other names | cut-off | number | value |\n|---|---|---|---|---|\n")
	for _, kind := range kinds {
		number := ""
		if n := kind.takes; n != nil {
			number = fmt.Sprintf("%s %s, default %v", n.name, n.within, n.standard)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", kind.name, inCode(kind.aliases),
			choose(kind.noCutoff, "meaningless", "optional"), number, kind.help)
	}
	b.WriteString("\n## Conventions\n\nTools compute a metric of one name by different rules. " +
		"`metric_convention` chooses whose rules hold. Whatever\njudges a trained model has the " +
		"`metric_convention` and the `label_gain` of its training, unless others are given, and names " +
		"them.\n\n`map@k` is divided by the number of relevant documents, or by k if that is smaller; `p@k` of a " +
		"query with fewer documents by k, or by their number.\n\n| convention | gain | discount | empty query | " +
		"equal scores | relevant above | map@k by | p@k by | weights |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, c := range Presets() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %v | %s | %s | %s |\n", c.Name, c.Gain, c.Discount.text(),
			c.Empty.text(), c.Ties.text(), c.RelevantAbove,
			choose(c.APReachable, "k if smaller", "relevant"), choose(c.Short == ShortCut, "documents", "k"),
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
