package metric

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tool says, of a convention, which of the metrics of the register are whose: each is in just one list.
type tool struct {
	equal string // the tool has it, and the goldens have the tool's values
	other string // the tool has it by other rules, or nobody has compared it
	why   string // of other, and what else is to be known: for docs/metrics.md
	own   string // the tool has no such metric: the definition, by the convention's rules
}

const lightGBMWhy = "LightGBM's `auc` compares documents of all queries. Relevant above 0 or 0.5 is the same for whole labels."

const xgboostWhy = "XGBoost's `map` and `pre` are for labels 0 and 1, and `pre` neglects weights. Its `auc` leaves queries out and averages ties."

const catBoostWhy = "CatBoost's `MAP`, `ERR` and `PrecisionAt` have formulas of their own, and its `QueryAUC` averages ties and is 0 for empty queries. " +
	"Its `RecallAt` neglects weights."

var tools = map[string]tool{
	"default": {"ndcg map", "auc", "LightGBM's values, in the mean over all orders of equal scores. " + lightGBMWhy,
		"dcg meanndcg mrr p recall err rbp pair_accuracy"},
	"lightgbm": {"ndcg map", "auc", lightGBMWhy, "dcg meanndcg mrr p recall err rbp pair_accuracy"},
	"xgboost":  {"ndcg map p", "auc", xgboostWhy, "dcg meanndcg mrr recall err rbp pair_accuracy"},
	"xgboost-": {"ndcg map p", "auc", xgboostWhy, "dcg meanndcg mrr recall err rbp pair_accuracy"},
	"catboost": {"ndcg dcg mrr recall", "map p err auc pair_accuracy", catBoostWhy, "meanndcg rbp"},
	"catboost-exp": {"ndcg dcg mrr recall", "map p err auc pair_accuracy", "`type=Exp` of CatBoost's `NDCG` and `DCG`. " + catBoostWhy,
		"meanndcg rbp"},
	"sklearn": {"ndcg dcg", "map auc", "scikit-learn's `average_precision_score` and `roc_auc_score` know no queries.",
		"meanndcg mrr p recall err rbp pair_accuracy"},
	"trec_eval": {"ndcg map mrr p recall", "", "", "dcg meanndcg err rbp auc pair_accuracy"},
	"gdeval":    {"ndcg err", "", "Transcribed from the script.", "dcg meanndcg map mrr p recall rbp auc pair_accuracy"},
	"mslr": {"ndcg meanndcg map p", "", "Transcribed from the script; its MAP has no cut-off.",
		"dcg mrr recall err rbp auc pair_accuracy"},
	"letor4": {"ndcg meanndcg map p", "", "Transcribed from the script; its MAP has no cut-off.",
		"dcg mrr recall err rbp auc pair_accuracy"},
	"ranklib": {"ndcg dcg map mrr p err", "", "Transcribed from RankLib's source; its MAP ignores cut-offs.",
		"meanndcg recall rbp auc pair_accuracy"},
	"yahoo": {"", "ndcg err", "By the description of the challenge; its program is not public.",
		"dcg meanndcg map mrr p recall rbp auc pair_accuracy"},
	"allrank": {"", "ndcg dcg mrr", "By allRank's source, with which no values were compared; its `mrr` goes by the documents of the highest grade.",
		"meanndcg map p recall err rbp auc pair_accuracy"},
}

// TestEveryMetricOfEveryConvention: a new metric or convention fails here until it is in one of the lists. What is
// said to equal a tool is compared with its values; TestEveryMetricEqualsItsDefinition compares all with theirs.
func TestEveryMetricOfEveryConvention(t *testing.T) {
	compared := comparedMetrics(readGoldens(t))
	require.Len(t, tools, len(Presets()))
	for _, c := range Presets() {
		of := tools[c.Name]
		equal := strings.Fields(of.equal)
		lists := slices.Concat(equal, strings.Fields(of.other), strings.Fields(of.own))
		assert.ElementsMatch(t, Names(), lists, c.Name)
		for _, name := range Names() {
			assert.Equal(t, slices.Contains(equal, name), compared[c.Name+" "+name], "%s %s: compared with the tool", c.Name, name)
		}
	}
}

// comparedMetrics returns the pairs of a convention and a metric that the goldens have.
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

// toolDocs is the part of docs/metrics.md about whose values they are.
func toolDocs() string {
	var b strings.Builder
	b.WriteString(`
**Whose values.** Metrics of the first column are compared with the tool's values (` + "`metric/testdata/generate.py`" + `). Those of the second
one the tool has by other rules, or nobody has compared them. All others the tool does not have: they follow the rules of the convention.

| convention | compared | other rules, or not compared | |
|---|---|---|---|
`)
	for _, c := range Presets() {
		of := tools[c.Name]
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", c.Name, inCode(strings.Fields(of.equal)), inCode(strings.Fields(of.other)), of.why)
	}
	return b.String()
}
