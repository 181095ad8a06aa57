package metric

import (
	"fmt"
	"strings"

	"github.com/lambdamart/lambdamart/internal/wording"
)

// Default returns the convention of training: LightGBM's, but with ties averaged, with empty
// queries weighted like others, and with documents relevant above 0.
func Default() Convention { return presets[0] }

// LightGBM returns the convention of LightGBM's ndcg and map (4.7).
func LightGBM() Convention { return presets[1] }

// SKLearn returns the convention of scikit-learn's ndcg_score and dcg_score (1.9).
func SKLearn() Convention { return presets[6] }

// presets are the conventions that have a name.
var presets = []Convention{
	{Name: "default", APReachable: true, TopGrade: 4},
	{Name: "lightgbm", Ties: FileOrder, Weights: EmptyUnweighted, RelevantAbove: 0.5, APReachable: true,
		TopGrade: 4},

	// XGBoost's ndcg, map and pre (3.2). XGBoost ignores weights in pre; the convention does not.
	{Name: "xgboost", Ties: FileOrder, Weights: EmptyUnweighted, Short: ShortCut, APReachable: true,
		TopGrade: 4},

	// XGBoost's metrics with the suffix "-": the value of an empty query is 0.
	{Name: "xgboost-", Empty: EmptyZero, Ties: FileOrder, Short: ShortCut, APReachable: true, TopGrade: 4},

	// CatBoost's NDCG, DCG and MRR (1.2). CatBoost's MAP, ERR and PrecisionAt follow other rules.
	{Name: "catboost", Gain: Linear(), Ties: Pessimistic, TopGrade: 4},

	// CatBoost's NDCG:type=Exp.
	{Name: "catboost-exp", Ties: Pessimistic, TopGrade: 4},
	{Name: "sklearn", Gain: Linear(), Empty: EmptyZero, TopGrade: 4},

	// trec_eval 10, which compares scores as float64. Version 9 rounds them to float32, so that more are equal.
	{Name: "trec_eval", Gain: Linear(), Empty: EmptyZero, Ties: ByDocument,
		Weights: WeightsNeglected, NegativeWorthless: true, TopGrade: 4},

	// gdeval.pl, the script of the TREC web tracks: topics without a relevant document are left out.
	{Name: "gdeval", Empty: EmptyLeftOut, Ties: ByDocument,
		Weights: WeightsNeglected, NegativeWorthless: true, TopGrade: 4},

	// eval-score-mslr.pl, Microsoft's script for MSLR-WEB10K and MSLR-WEB30K: it has a discount of its own,
	// and documents are relevant from label 2 on.
	{Name: "mslr", Discount: Microsoft, Empty: EmptyZero, Ties: FileOrder,
		Weights: WeightsNeglected, Short: ShortZero, RelevantAbove: 1, TopGrade: 4},

	// Eval-Score-4.0.pl, Microsoft's script for LETOR 4.0.
	{Name: "letor4", Discount: Microsoft, Empty: EmptyZero, Ties: FileOrder,
		Weights: WeightsNeglected, Short: ShortZero, TopGrade: 4},

	// RankLib's NDCG, MAP, RR, P and ERR.
	{Name: "ranklib", Empty: EmptyZero, Ties: FileOrder, Weights: WeightsNeglected, Short: ShortCut,
		TopGrade: 4},

	// The Yahoo! Learning to Rank Challenge: the value of an empty query is one half.
	{Name: "yahoo", Empty: EmptyHalf, Ties: FileOrder, Weights: WeightsNeglected, TopGrade: 4},

	// allRank's ndcg.
	{Name: "allrank", Ties: FileOrder, Weights: WeightsNeglected, TopGrade: 4},
}

// Presets returns all conventions that have a name, [Default] first: those of LightGBM ("lightgbm"), XGBoost
// ("xgboost", and "xgboost-" for its metrics with the suffix "-"), CatBoost ("catboost", "catboost-exp"),
// scikit-learn ("sklearn"), trec_eval, gdeval.pl, Microsoft's scripts ("mslr", "letor4"), RankLib, the Yahoo!
// challenge and allRank.
func Presets() []Convention { return append([]Convention(nil), presets...) }

// ConventionByName returns the preset of the given name. The presets "default" and "lightgbm" use the given
// gain, as LightGBM uses label_gain; the others keep the gain of the tool that they are named after. The
// error for an unknown name suggests the nearest one.
func ConventionByName(name string, gain Gain) (Convention, error) {
	var names []string
	for _, c := range presets {
		if c.Name == name {
			return c.gaining(gain), nil
		}
		names = append(names, c.Name)
	}
	return Convention{}, fmt.Errorf("no convention %q; did you mean %q? There are %s",
		name, wording.Nearest(name, names), strings.Join(names, ", "))
}

// gaining returns the preset with the given gain, if the gain is the caller's to choose.
func (c Convention) gaining(gain Gain) Convention {
	if c.Name != "default" && c.Name != "lightgbm" || c.Gain.String() == gain.String() {
		return c
	}
	c.Gain, c.Name = gain, c.Name+" with gain "+gain.String()
	return c
}
