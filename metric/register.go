package metric

import (
	"slices"
	"strings"
)

// Kind is a metric that has a name: an entry of the register, which is the only source of names for
// [Parse], for suggestions in errors and for documentation. A metric of one's own needs no entry;
// it is passed as a [Metric].
type Kind struct {
	Name    string   // in lower case, such as "ndcg"
	Aliases []string // other words for it, in lower case: those of LightGBM, XGBoost, CatBoost and trec_eval
	Help    string   // what it is, a phrase
	Cutoff  Cutoff   // whether "@k" may follow the name
	Top     bool     // usual at the first ranks: taken at [DefaultCutoffs] where no cut-offs are given
	Number  *Number  // what a number after a colon means ("rbp:0.95"); nil if the metric takes none
	Bounded bool     // whether all values are between 0 and 1

	// make returns the metric with the cut-off k, all ranks if k < 1. number is that of Number, 0
	// if that is nil.
	make func(c Convention, k int, number float64) Metric
}

// Cutoff says whether a metric's name takes a cut-off, the k of "ndcg@k".
type Cutoff uint8

const (
	CutoffOptional    Cutoff = iota // without one, all ranks count
	CutoffRequired                  // it has no meaning without one
	CutoffMeaningless               // it takes none
)

// String returns "optional", "required" or "meaningless".
func (c Cutoff) String() string {
	return [...]string{CutoffOptional: "optional", CutoffRequired: "required", CutoffMeaningless: "meaningless"}[c]
}

// Number describes the number that a metric may take after a colon.
type Number struct {
	Name    string             // such as "persistence"
	Default float64            // where no number is given
	Range   string             // which numbers are allowed, a phrase that follows "want a number"
	Example string             // one that is allowed, such as "0.95"
	Allows  func(float64) bool // reports whether a number is in Range; NaN never is
}

// Kinds returns the register: every metric that has a name, in the order in which lists show them.
// The caller owns the slice.
//
// A new metric is a file with its formula and its constructor, and an entry here.
func Kinds() []Kind {
	return []Kind{
		{
			Name: "ndcg", Aliases: []string{"lambdarank", "rank_xendcg", "xendcg", "xe_ndcg", "xe_ndcg_mart", "xendcg_mart"},
			Help: "the DCG divided by the largest that any order of the documents has",
			Top:  true, Bounded: true, make: plain(NDCG),
		},
		{
			Name: "dcg",
			Help: "the sum of the documents' gains, each multiplied by the discount of its rank",
			Top:  true, make: plain(DCG),
		},
		{
			Name:   "meanndcg",
			Help:   "the mean of nDCG@k over all cut-offs k",
			Cutoff: CutoffMeaningless, Bounded: true,
			make: func(c Convention, _ int, _ float64) Metric { return MeanNDCG(c) },
		},
		{
			Name: "map", Aliases: []string{"ap", "mean_average_precision"},
			Help:    "the mean of the precision at the ranks of all relevant documents",
			Bounded: true, make: plain(MAP),
		},
		{
			Name: "mrr", Aliases: []string{"rr", "recip_rank"},
			Help:    "one divided by the rank, from 1, of the first relevant document",
			Bounded: true, make: plain(MRR),
		},
		{
			Name: "p", Aliases: []string{"precision", "pre", "precisionat"},
			Help: "the share of relevant documents among those above the cut-off",
			Top:  true, Bounded: true, make: plain(Precision),
		},
		{
			Name: "recall", Aliases: []string{"recallat"},
			Help: "the share of the relevant documents that are above the cut-off",
			Top:  true, Bounded: true, make: plain(Recall),
		},
		{
			Name:    "err",
			Help:    "the expected reciprocal rank of the document at which a reader stops",
			Bounded: true, make: plain(ERR),
		},
		{
			Name:    "rbp",
			Help:    "the share of relevant documents among those that a reader sees, who continues to each next rank with the probability persistence",
			Number:  &Number{"persistence", DefaultPersistence, "from 0 to below 1", "0.95", func(p float64) bool { return p >= 0 && p < 1 }},
			Bounded: true, make: func(c Convention, k int, persistence float64) Metric { return RBP(c, persistence, k) },
		},
		{
			Name: "auc", Aliases: []string{"queryauc"},
			Help:   "the share of the pairs of a relevant document and one that is not in which the former is above, of each query",
			Cutoff: CutoffMeaningless, Bounded: true,
			make: func(c Convention, _ int, _ float64) Metric { return AUC(c) },
		},
		{
			Name: "pair_accuracy", Aliases: []string{"pairaccuracy", "pairwise_accuracy"},
			Help:   "the share of the pairs of documents with different grades in which the better one is above, of each query",
			Cutoff: CutoffMeaningless, Bounded: true,
			make: func(c Convention, _ int, _ float64) Metric { return PairAccuracy(c) },
		},
	}
}

// plain adapts the constructor of a metric that takes no number.
func plain(make func(Convention, int) Metric) func(Convention, int, float64) Metric {
	return func(c Convention, k int, _ float64) Metric { return make(c, k) }
}

// Names returns the names that [Parse] takes, without aliases.
func Names() []string {
	var names []string
	for _, kind := range Kinds() {
		names = append(names, kind.Name)
	}
	return names
}

// noMetric are LightGBM's words for no metric at all, in lower case.
var noMetric = []string{"none", "na", "null", "custom"}

// Canonical returns the name of the metric that a word means: a name or an alias, in upper or lower
// case, without a cut-off. ok is false if no metric has it. For LightGBM's words for no metric at
// all, such as "None", it returns "" and true.
func Canonical(word string) (name string, ok bool) {
	word = strings.ToLower(strings.TrimSpace(word))
	if slices.Contains(noMetric, word) {
		return "", true
	}
	kind, ok := find(Kinds(), word)
	return kind.Name, ok
}

// find returns the kind of that name or alias.
func find(kinds []Kind, word string) (found Kind, ok bool) {
	for _, kind := range kinds {
		if kind.Name == word || slices.Contains(kind.Aliases, word) {
			return kind, true
		}
	}
	return Kind{}, false
}
