package metric

import (
	"slices"
	"strings"
)

// kind is an entry of the register, which is the only source of names for [Parse], for suggestions in
// errors and for documentation. A program's own metric needs no entry; it is passed as a [Metric].
type kind struct {
	name     string   // in lower case, such as "ndcg"
	aliases  []string // other names for it, in lower case, from LightGBM, XGBoost, CatBoost and trec_eval
	help     string   // what it is, a phrase
	noCutoff bool     // no "@k" may follow the name
	top      bool     // usually computed for the first ranks: uses defaultCutoffs if no cut-offs are given
	takes    *number  // meaning of a number after a colon ("rbp:0.95"); nil if the metric has none
	bounded  bool     // all values are between 0 and 1
	needs    need
	ordinal  bool // it goes by the order of all grades, not by which documents are relevant
	share    bool // its value is a share of the best possible one, so an empty query is 0/0

	// judge computes the value of a query. Goroutines share m, so it must not be changed.
	judge func(m *metric, q *query) verdict
}

// number describes the number that may follow the name of a metric after a colon.
type number struct {
	name     string             // such as "persistence"
	standard float64            // used if no number is given
	within   string             // which numbers are allowed, a phrase that follows "want a number"
	example  string             // one that is allowed, such as "0.95"
	allows   func(float64) bool // reports whether a number is allowed; it is false for NaN
}

// kinds is the register: every metric that has a name, in the order in which lists show them.
//
// A new metric is a function that judges a query, and an entry here.
var kinds = []kind{
	{
		name: "ndcg", aliases: []string{"lambdarank", "rank_xendcg", "xendcg", "xe_ndcg", "xe_ndcg_mart",
			"xendcg_mart"},
		help: "the DCG divided by the largest that any order of the documents has",
		top:  true, bounded: true, needs: needGain, share: true, judge: judgeNDCG,
	},
	{
		name: "dcg",
		help: "the sum of the documents' gains, each multiplied by the discount of its rank",
		top:  true, needs: needGain, judge: judgeDCG,
	},
	{
		name: "meanndcg", noCutoff: true,
		help:    "the mean of nDCG@k over all cut-offs k",
		bounded: true, needs: needGain, share: true, judge: judgeMeanNDCG,
	},
	{
		name: "map", aliases: []string{"ap", "mean_average_precision"},
		help:    "the mean of the precision at the ranks of all relevant documents",
		bounded: true, needs: needOrder, share: true, judge: ofRelevant(judgeMAP),
	},
	{
		name: "mrr", aliases: []string{"rr", "recip_rank"},
		help:    "one divided by the rank, from 1, of the first relevant document",
		bounded: true, needs: needOrder, judge: ofRelevant(judgeMRR),
	},
	{
		name: "p", aliases: []string{"precision", "pre", "precisionat"},
		help: "the share of relevant documents among those above the cut-off",
		top:  true, bounded: true, needs: needOrder, judge: ofRelevant(judgePrecision),
	},
	{
		name: "recall", aliases: []string{"recallat", "r"},
		help: "the share of the relevant documents that are above the cut-off",
		top:  true, bounded: true, needs: needOrder, share: true, judge: ofRelevant(judgeRecall),
	},
	{
		name: "success", aliases: []string{"hit_rate", "hitrate", "hr", "hit"},
		help: "1 if a relevant document is above the cut-off, otherwise 0",
		top:  true, bounded: true, needs: needOrder, judge: ofRelevant(judgeSuccess),
	},
	{
		name: "rprec", aliases: []string{"r-precision", "r_precision", "rprecision"}, noCutoff: true,
		help:    "the share of relevant documents at as many ranks as the query has relevant documents",
		bounded: true, needs: needOrder, share: true, judge: ofRelevant(judgeRPrecision),
	},
	{
		name: "bpref", noCutoff: true,
		help: "of the relevant documents, the mean share of judged ones that are not relevant, at most as many " +
			"as are relevant, that are not above",
		bounded: true, needs: needOrder, share: true, judge: ofRelevant(judgeBpref),
	},
	{
		name: "judged",
		help: "the share of documents above the cut-off that the qrels have",
		top:  true, bounded: true, needs: needOrder, judge: judgeJudged,
	},
	{
		name:    "err",
		help:    "the expected reciprocal rank of the document at which a reader stops",
		bounded: true, needs: needStop, judge: judgeERR,
	},
	{
		name: "rbp",
		help: "the share of relevant documents among those that a reader sees, " +
			"who continues to each next rank with the probability persistence",
		// 0.8 is the value of Moffat and Zobel for ordinary readers of web search results.
		takes: &number{"persistence", 0.8, "from 0 to below 1", "0.95",
			func(p float64) bool { return p >= 0 && p < 1 }},
		bounded: true, needs: needOrder, judge: ofRelevant(judgeRBP),
	},
	{
		name: "auc", aliases: []string{"queryauc"}, noCutoff: true,
		help: "the share of the pairs of a relevant document and one that is not in which the former is " +
			"above, of each query",
		bounded: true, needs: needOrder, share: true, judge: ofRelevant(judgeAUC),
	},
	{
		name: "pair_accuracy", aliases: []string{"pairaccuracy", "pairwise_accuracy"}, noCutoff: true,
		help: "the share of the pairs of documents with different grades in which the better one is above, " +
			"of each query",
		bounded: true, needs: needOrder, share: true, judge: ofRelevant(judgePairAccuracy),
	},
	{
		name: "pair_agreement", noCutoff: true,
		help: "the share of the given pairs of documents (valid_pairs, pairs), each with its weight, whose " +
			"better one has the higher score, of each query that has pairs; equal scores count one half",
		bounded: true, needs: needPairs, judge: judgePairAgreement,
	},
	{
		name: "kendall", aliases: []string{"kendalltau", "kendall_tau", "tau_b"}, noCutoff: true,
		help:  "Kendall's tau-b of grades and scores of each query, from -1 to 1",
		needs: needOrder, ordinal: true, judge: judgeKendall,
	},
	{
		name: "spearman", aliases: []string{"spearmanr", "spearman_rho"}, noCutoff: true,
		help:  "Spearman's correlation of the ranks of grades and of scores of each query, from -1 to 1",
		needs: needOrder, ordinal: true, judge: judgeSpearman,
	},
}

// allNames returns the names that [Parse] accepts, without aliases.
func allNames() (names []string) {
	for i := range kinds {
		names = append(names, kinds[i].name)
	}
	return names
}

// noMetric are the words with which LightGBM's users ask for no metric at all, in lower case.
var noMetric = []string{"none", "na", "null", "custom"}

// Canonical returns the name of the metric that a word means: a name or an alias, in upper or lower
// case, without a cut-off. ok is false if no metric has it. For LightGBM's words for no metric at
// all, such as "None", it returns "" and true.
func Canonical(word string) (name string, ok bool) {
	word = strings.ToLower(strings.TrimSpace(word))
	if slices.Contains(noMetric, word) {
		return "", true
	}
	if k := find(word); k != nil {
		return k.name, true
	}
	return "", false
}

// find returns the kind of that name or alias, nil if there is none.
func find(word string) *kind {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == word || slices.Contains(k.aliases, word) })
	if i < 0 {
		return nil
	}
	return &kinds[i]
}
