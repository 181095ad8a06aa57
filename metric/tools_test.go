package metric

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/test/aid"
)

// tool says, for a convention, how registered metrics relate to a tool. The tool lacks all others, which
// follow the definition under the convention.
type tool struct {
	equal string // the tool has the metric, and the goldens have its values
	other string // the tool defines it differently, or it has not been compared
	why   string // about other, and further remarks, for docs/metrics.md
}

const lightGBMWhy = "LightGBM's `auc` compares documents of all queries. Relevant above 0 or 0.5 is the " +
	"same for whole labels."

const xgboostWhy = "XGBoost's `map` and `pre` are for labels 0 and 1, and `pre` neglects weights. Its " +
	"`auc` leaves queries out and averages ties."

const catBoostWhy = "CatBoost's `MAP`, `ERR` and `PrecisionAt` have formulas of their own, and its " +
	"`QueryAUC` averages ties and is 0 for empty queries. Its `RecallAt` neglects weights."

var tools = map[string]tool{
	"default": {"ndcg map kendall spearman", "auc", "`lightgbm`'s values, in the mean over all orders of " +
		"equal scores; scipy's correlations."},
	"lightgbm": {"ndcg map", "auc", lightGBMWhy},
	"xgboost":  {"ndcg map p", "auc", xgboostWhy},
	"xgboost-": {"ndcg map p", "auc", "As `xgboost`."},
	"catboost": {"ndcg dcg mrr recall", "map p err auc pair_accuracy", catBoostWhy},
	"catboost-exp": {"ndcg dcg mrr recall", "map p err auc pair_accuracy",
		"`type=Exp` of CatBoost's `NDCG` and `DCG`; the rest as `catboost`."},
	"sklearn": {"ndcg dcg", "map auc",
		"scikit-learn's `average_precision_score` and `roc_auc_score` know no queries."},
	"trec_eval": {"ndcg map mrr p recall success rprec bpref", "",
		"Also on real qrels (`test/check_python.py`). Version 10, which compares scores as float64. Version 9 " +
			"rounds them to float32: scores that differ by less are equal there."},
	"gdeval": {"ndcg err", "", "Transcribed from the script."},
	"mslr":   {"ndcg meanndcg map p", "", "Transcribed from the script; its MAP has no cut-off."},
	"letor4": {"ndcg meanndcg map p", "", "As `mslr`."},
	"ranklib": {"ndcg dcg map mrr p err", "",
		"Transcribed from RankLib's source; its MAP ignores cut-offs."},
	"yahoo": {"", "ndcg err", "By the description of the challenge; its program is not public."},
	"allrank": {"", "ndcg dcg mrr", "By allRank's source, with which no values were compared; its `mrr` " +
		"goes by the documents of the highest grade."},
}

// TestEveryMetricOfEveryConvention fails for a new convention until it is in the lists. Metrics listed as
// equal are compared with the tool's values; TestEveryMetricEqualsItsDefinition compares all with their
// definitions.
func TestEveryMetricOfEveryConvention(t *testing.T) {
	compared := comparedMetrics(readGoldens(t))
	require.Len(t, tools, len(Presets()))
	for _, c := range Presets() {
		of := tools[c.Name]
		equal := strings.Fields(of.equal)
		assert.Subset(t, allNames(), slices.Concat(equal, strings.Fields(of.other)), c.Name)
		for _, name := range allNames() {
			assert.Equal(t, slices.Contains(equal, name), compared[c.Name+" "+name], "%s %s: compared with the tool",
				c.Name, name)
		}
	}
}

// comparedMetrics returns the pairs of convention and metric for which the goldens have values.
func comparedMetrics(g goldens) map[string]bool {
	compared := map[string]bool{}
	add := func(c Convention, spec string) {
		spec, _, _ = strings.Cut(spec, "@")
		if name, _ := Canonical(spec); name != "" {
			compared[c.Name+" "+name] = true
		}
	}
	for _, c := range comparedMeans() {
		for theirs := range g.Means[c.tool] {
			name, _, _ := strings.Cut(theirs, "@")
			if other, ok := c.names[name]; ok {
				name = other
			}
			add(c.convention, name)
		}
	}
	for _, c := range Presets() {
		for spec := range g.Queries[c.Name] {
			add(c, spec)
		}
	}
	return compared
}

// toolsTable says in Markdown which tool's values each metric equals.
func toolsTable() string {
	var b strings.Builder
	b.WriteString("| convention | compared | other rules, or not compared | |\n|---|---|---|---|\n")
	for _, c := range Presets() {
		of := tools[c.Name]
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", c.Name, aid.InCode(strings.Fields(of.equal)),
			aid.InCode(strings.Fields(of.other)), of.why)
	}
	return b.String()
}
