package objective

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/param"
)

// entries is the register of built-in objectives, in the order in which help lists them. A new objective is a
// file of its own, an entry here and, if it has parameters, fields of [AllParams] with their table.
var entries = []entry{
	{
		Name:      "lambdarank",
		Aliases:   []string{"rank:ndcg", "lambdamart"},
		ModelName: "lambdarank",
		Help: "LambdaMART: the logistic loss of pairs of documents, each weighted by the change of nDCG " +
			"that swapping them would make.",
		reads:     append([]string{"lambdarank_target"}, pairParameters...),
		random:    drawsLambdaRanks,
		construct: lambdaRankFor,
	},
	{
		Name:      "rank_xendcg",
		Aliases:   []string{"xendcg", "xe_ndcg", "xe_ndcg_mart", "xendcg_mart"},
		ModelName: "rank_xendcg",
		Help:      "Cross entropy of the softmax of scores and a randomly drawn distribution of gains (XE-NDCG).",
		random:    always,
		construct: func(p *AllParams) (Objective, error) { return &xendcg{labelGain: p.LabelGain}, nil },
	},
	{
		Name:      "rank_pairwise",
		Aliases:   []string{"rank:pairwise", "ranknet", "pairlogit"},
		ModelName: custom,
		Help:      "The logistic loss of pairs of documents, all of the same weight (RankNet's loss on trees).",
		reads:     pairParameters,
		random:    drawsRanks,
		construct: func(p *AllParams) (Objective, error) { return pairsOf("rank_pairwise", p, constantRule{}) },
	},
	{
		Name:      "rank_map",
		Aliases:   []string{"rank:map"},
		ModelName: "lambdarank",
		Help:      "LambdaMART for mean average precision: objective=lambdarank with lambdarank_target=map.",
		reads:     append([]string{"lambdarank_target"}, pairParameters...),
		random:    drawsRanks,
		construct: mapRank,
	},
	{
		Name:      "lambdaloss",
		ModelName: custom,
		Help:      "The logistic loss of pairs, weighted by LambdaLoss's bounds of nDCG.",
		reads:     append([]string{"lambdaloss_scheme", "lambdaloss_mu"}, pairParameters...),
		random:    drawsRanks,
		construct: func(p *AllParams) (Objective, error) {
			dcg := dcgRule{p.LambdarankTruncationLevel}
			return pairsOf("lambdaloss", p, lambdaLossRule{dcg, p.LambdalossScheme, p.LambdalossMu})
		},
	},
	{
		Name:      "yetirank",
		ModelName: custom,
		Help: "The logistic loss of documents that are neighbors in random rankings close to the ranking by " +
			"scores (YetiRank, YetiLoss).",
		reads:     []string{"yetirank_mode", "yetirank_permutations", "yetirank_decay"},
		random:    always,
		construct: newYetiRank,
	},
	{
		Name:      "pairs",
		ModelName: custom,
		Help:      "The logistic loss of given pairs of documents (pairs=FILE), whatever the grades.",
		construct: func(*AllParams) (Objective, error) { return new(givenPairs), nil },
	},
	{
		Name:      "query_rmse",
		Aliases:   []string{"queryrmse"},
		ModelName: "regression",
		Help:      "Squared difference of scores and grades, both taken from their mean in the query.",
		construct: func(*AllParams) (Objective, error) { return queryRMSE{}, nil },
	},
	{
		Name:      "listnet",
		ModelName: custom,
		Help:      "Cross entropy of the softmax of grades and the softmax of scores.",
		construct: func(*AllParams) (Objective, error) { return new(listNet), nil },
	},
	{
		Name: "regression",
		Aliases: []string{
			"regression_l2", "l2", "mean_squared_error", "mse", "l2_root", "root_mean_squared_error", "rmse",
			"reg:squarederror", "reg:linear",
		},
		ModelName: "regression",
		Help:      "Squared difference of score and grade of each document by itself (MART).",
		reads:     []string{"boost_from_average"},
		construct: func(p *AllParams) (Objective, error) {
			return regression{fromAverage: p.BoostFromAverage}, nil
		},
	},
	{
		Name:      "binary",
		Aliases:   []string{"binary:logistic", "binary:logitraw", "logloss"},
		ModelName: "binary sigmoid:1",
		Help:      "Logistic loss of each document by itself, for grades 0 and 1.",
		reads:     []string{"sigmoid", "boost_from_average"},
		construct: func(p *AllParams) (Objective, error) {
			return &logistic{fromAverage: p.BoostFromAverage, sigma: p.Sigmoid, binary: true}, nil
		},
	},
	{
		Name:      "cross_entropy",
		Aliases:   []string{"xentropy", "crossentropy", "reg:logistic"},
		ModelName: "cross_entropy",
		Help:      "Logistic loss of each document by itself, for grades from 0 to 1.",
		reads:     []string{"boost_from_average"},
		construct: func(p *AllParams) (Objective, error) {
			return &logistic{fromAverage: p.BoostFromAverage, sigma: 1}, nil
		},
	},
	{
		Name:      "rank_calibrated",
		Aliases:   []string{"rcr"},
		ModelName: "cross_entropy",
		Help: "Logistic loss of each document by itself, and cross entropy of labels and probabilities within " +
			"the query, for grades from 0 to 1: ranks, and scores are probabilities (regression-compatible ranking).",
		reads: []string{"rank_calibrated_share", "boost_from_average"},
		construct: func(p *AllParams) (Objective, error) {
			return &calibrated{alpha: p.RankCalibratedShare, fromAverage: p.BoostFromAverage}, nil
		},
	},
}

// pairParameters are the parameters that all objectives of pairs use.
var pairParameters = []string{
	"sigmoid", truncation, pairMethod, numPairs,
	"lambdarank_score_gap_norm", "lambdarank_log_norm", "lambdarank_ties",
	"lambdarank_position_bias_regularization",
}

// entry describes a built-in objective.
type entry struct {
	Name      string   // value of the parameter objective, and the objective's Name
	Aliases   []string // other values that mean the same
	ModelName string   // what a model file says: an objective that LightGBM loads
	Help      string   // what is trained, in a sentence

	random    func(*AllParams) bool // whether it draws random numbers; nil: it never does
	reads     []string              // parameters that the objective uses; label_gain is used by all
	construct func(*AllParams) (Objective, error)
}

// Names returns the names of all built-in objectives.
func Names() []string {
	var names []string
	for i := range entries {
		names = append(names, entries[i].Name)
	}
	return names
}

// Choice binds a string that is the name of a built-in objective, or a weighted sum of several such as
// "lambdarank:1,binary@cart:0.2", where @cart says which of several labels an objective reads. An alias, and
// a name in other upper and lower case, sets the name that it stands for.
func Choice(dst *string) param.Value { return &choice{byName(dst), dst} }

// Choices binds a list of names of built-in objectives, none of which is a sum. An alias sets the name that
// it stands for.
func Choices(dst *[]string) param.Value { return &choices{bind.Texts(dst), dst} }

// choices is the value of [Choices].
type choices struct {
	param.Value
	dst *[]string
}

func (c *choices) Set(text string) error {
	if err := c.Value.Set(text); err != nil {
		return err
	}
	for i, name := range *c.dst {
		if e := find(name); e != nil {
			(*c.dst)[i] = e.Name
		}
	}
	return nil
}

func (c *choices) Check() error {
	for _, name := range *c.dst {
		if find(name) == nil {
			return nameError(name)
		}
	}
	return nil
}

func (c *choices) Range() string { return "names of objectives" }

// byName binds a string that is the name of one objective.
func byName(dst *string) param.Value {
	var options []wording.Term
	for _, e := range entries {
		options = append(options, wording.Term{Name: e.Name, Aliases: e.Aliases})
	}
	return bind.Named(dst, options...)
}

// nameError returns the error for a name that no objective has, nil for others.
func nameError(name string) error { return byName(&name).Check() }

// choice is the value of [Choice].
type choice struct {
	param.Value
	dst *string
}

func (c *choice) Set(text string) error {
	if terms, err := parse(text); err == nil {
		text = canonical(terms)
	}
	*c.dst = text
	return nil
}

func (c *choice) Check() error {
	_, err := parse(*c.dst)
	return err
}

func (c *choice) Range() string {
	return c.Value.Range() + ", or a weighted sum such as lambdarank:1,query_rmse:0.2; @NAME after an " +
		"objective: of that label (label_columns)"
}

// ErrUnknown is wrapped by the error of [New] for a name that no objective has.
var ErrUnknown = errors.New("unknown objective")

// New returns the built-in objective of the given name or alias, or the weighted sum of several, with the
// parameters p, which it copies. For an unknown name, the error lists the known ones and suggests the
// nearest. It is also an error if parameters contradict each other.
func New(name string, p *AllParams) (Objective, error) {
	terms, err := parse(name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w %q (an objective of your own is passed as a value): %w", ErrUnknown, name, err)
	case plain(terms) && terms[0].label == "":
		return terms[0].new(p)
	}
	return newSum(terms, p)
}

// Unused returns the parameters in p of built-in objectives that differ from their defaults although the
// objective of the given name or alias, or every objective of the given sum, ignores them. It is empty for an
// unknown name.
func Unused(name string, p *AllParams) param.Table {
	terms, err := parse(name)
	if err != nil {
		return nil
	}
	copied, defaults := *p, DefaultAllParams()
	own, usual := Table(&copied), Table(&defaults)
	unused := func(name string) bool {
		return !reads(terms, name) && own.Find(name).Value.String() != usual.Find(name).Value.String()
	}
	both := unused(normParts[0]) && unused(normParts[1])
	return slices.DeleteFunc(slices.Clone(own), func(entry param.Parameter) bool {
		switch {
		case entry.Name == "label_gain": // metrics use it too
			return true
		case entry.Name == "lambdarank_norm":
			return !both
		case slices.Contains(normParts, entry.Name):
			return both || !unused(entry.Name)
		}
		return !unused(entry.Name)
	})
}

// normParts are the parameters that lambdarank_norm sets.
var normParts = []string{"lambdarank_score_gap_norm", "lambdarank_log_norm"}

// IsRandom reports whether the objective of the given name or alias, or one of the given sum, draws
// random numbers, so that models of different seeds differ.
func IsRandom(name string, p *AllParams) bool {
	terms, err := parse(name)
	return err == nil && slices.ContainsFunc(terms, func(t term) bool {
		return t.entry.random != nil &&
			t.entry.random(p)
	})
}

// always is the value of entry.random for objectives that always draw.
func always(*AllParams) bool { return true }

// ReadsPairs reports whether the objective of the given name or alias, or one of the given sum, learns given
// pairs of documents.
func ReadsPairs(name string) bool {
	terms, err := parse(name)
	return err == nil && slices.ContainsFunc(terms, func(t term) bool { return t.entry.Name == "pairs" })
}

// Uses reports whether the objective of the given name or alias reads the parameter.
func Uses(name, parameter string) bool {
	terms, err := parse(name)
	return err == nil && reads(terms, parameter)
}

// reads reports whether one of the objectives reads the parameter.
func reads(terms []term, parameter string) bool {
	return slices.ContainsFunc(terms, func(t term) bool { return slices.Contains(t.entry.reads, parameter) })
}

// find returns the entry of the given name or alias in any case, nil if there is none.
func find(name string) *entry {
	name = strings.ToLower(name)
	for i := range entries {
		if e := &entries[i]; e.Name == name || slices.Contains(e.Aliases, name) {
			return e
		}
	}
	return nil
}
