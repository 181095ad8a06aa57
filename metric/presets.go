package metric

import (
	"fmt"
	"strings"

	"github.com/lambdamart/lambdamart/internal/wording"
)

// Default returns the convention of training: LightGBM's, but with ties averaged, with empty
// queries weighted like others, and with documents relevant above 0.
func Default() Convention { return Convention{Name: "default", AP: APReachable, TopGrade: 4} }

// LightGBM returns the convention of LightGBM's ndcg and map (4.7).
func LightGBM() Convention {
	return Convention{Name: "lightgbm", Ties: FileOrder, Weights: EmptyUnweighted, RelevantAbove: 0.5, AP: APReachable, TopGrade: 4}
}

// XGBoost returns the convention of XGBoost's ndcg, map and pre (3.2). XGBoost ignores weights in
// pre; the convention does not.
func XGBoost() Convention {
	return Convention{Name: "xgboost", Ties: FileOrder, Weights: EmptyUnweighted, Short: ShortCut, AP: APReachable, TopGrade: 4}
}

// XGBoostMinus returns the convention of XGBoost's metrics with the suffix "-": the value of an
// empty query is 0.
func XGBoostMinus() Convention {
	return Convention{Name: "xgboost-", Empty: EmptyZero, Ties: FileOrder, Short: ShortCut, AP: APReachable, TopGrade: 4}
}

// CatBoost returns the convention of CatBoost's NDCG, DCG and MRR (1.2). CatBoost's MAP, ERR and
// PrecisionAt follow other rules.
func CatBoost() Convention {
	return Convention{Name: "catboost", Gain: Linear(), Ties: Pessimistic, TopGrade: 4}
}

// CatBoostExp returns the convention of CatBoost's NDCG:type=Exp.
func CatBoostExp() Convention {
	return Convention{Name: "catboost-exp", Ties: Pessimistic, TopGrade: 4}
}

// SKLearn returns the convention of scikit-learn's ndcg_score and dcg_score (1.9).
func SKLearn() Convention {
	return Convention{Name: "sklearn", Gain: Linear(), Empty: EmptyZero, TopGrade: 4}
}

// TRECEval returns the convention of trec_eval (9.0).
func TRECEval() Convention {
	return Convention{Name: "trec_eval", Gain: Linear(), Empty: EmptyZero, Ties: ByDocument,
		Weights: WeightsNeglected, Negative: NegativeWorthless, TopGrade: 4}
}

// GDEval returns the convention of gdeval.pl, the script of the TREC web tracks: topics without a
// relevant document are left out.
func GDEval() Convention {
	return Convention{Name: "gdeval", Empty: EmptyLeftOut, Ties: ByDocument,
		Weights: WeightsNeglected, Negative: NegativeWorthless, TopGrade: 4}
}

// MSLR returns the convention of eval-score-mslr.pl, Microsoft's script for MSLR-WEB10K and
// MSLR-WEB30K: a discount of its own, and documents relevant from label 2 on.
func MSLR() Convention {
	return Convention{Name: "mslr", Discount: Microsoft, Empty: EmptyZero, Ties: FileOrder,
		Weights: WeightsNeglected, Short: ShortZero, RelevantAbove: 1, TopGrade: 4}
}

// LETOR4 returns the convention of Eval-Score-4.0.pl, Microsoft's script for LETOR 4.0.
func LETOR4() Convention {
	return Convention{Name: "letor4", Discount: Microsoft, Empty: EmptyZero, Ties: FileOrder,
		Weights: WeightsNeglected, Short: ShortZero, TopGrade: 4}
}

// RankLib returns the convention of RankLib's NDCG, MAP, RR, P and ERR.
func RankLib() Convention {
	return Convention{Name: "ranklib", Empty: EmptyZero, Ties: FileOrder, Weights: WeightsNeglected, Short: ShortCut, TopGrade: 4}
}

// Yahoo returns the convention of the Yahoo! Learning to Rank Challenge: the value of an empty
// query is one half.
func Yahoo() Convention {
	return Convention{Name: "yahoo", Empty: EmptyHalf, Ties: FileOrder, Weights: WeightsNeglected, TopGrade: 4}
}

// AllRank returns the convention of allRank's ndcg.
func AllRank() Convention {
	return Convention{Name: "allrank", Ties: FileOrder, Weights: WeightsNeglected, TopGrade: 4}
}

// Presets returns all conventions that have a name, [Default] first.
func Presets() []Convention {
	return []Convention{Default(), LightGBM(), XGBoost(), XGBoostMinus(), CatBoost(), CatBoostExp(), SKLearn(),
		TRECEval(), GDEval(), MSLR(), LETOR4(), RankLib(), Yahoo(), AllRank()}
}

// ConventionByName returns the preset of the given name. The error for an unknown name suggests the
// nearest one.
func ConventionByName(name string) (Convention, error) {
	var names []string
	for _, c := range Presets() {
		if c.Name == name {
			return c, nil
		}
		names = append(names, c.Name)
	}
	return Convention{}, fmt.Errorf("metric: no convention %q; did you mean %q? There are %s",
		name, wording.Nearest(name, names), strings.Join(names, ", "))
}

// ConventionWithGain returns the preset of that name with the given worth of grades, if that is for
// a parameter to say: [Default] and [LightGBM] take it from label_gain, as LightGBM does. The other
// presets keep the gain of the tool that they are named after.
func ConventionWithGain(name string, gain Gain) (Convention, error) {
	c, err := ConventionByName(name)
	if err == nil && (name == Default().Name || name == LightGBM().Name) {
		c = c.WithGain(gain)
	}
	return c, err
}
