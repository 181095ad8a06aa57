package booster

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/param"
)

// Kinds of boosting, the values of Params.Boosting.
const (
	GBDT = "gbdt" // each tree is fitted to the gradients at the scores of all trees before it
	DART = "dart" // some of the trees before it are left out (dart.go)
)

// boostingWords are other names of kinds of boosting: those of LightGBM, and of XGBoost's parameter booster.
var boostingWords = map[string]string{"gbrt": GBDT, "gbtree": GBDT}

// boostingValue is the [param.Value] of the parameter boosting.
type boostingValue struct{ param.Value }

func (v boostingValue) Set(text string) error {
	if kind, ok := boostingWords[text]; ok {
		text = kind
	}
	return v.Value.Set(text)
}

func (p *BoostingParams) table() param.Table {
	return param.Table{
		{Name: "boosting", Aliases: []string{"boosting_type", "boost", "booster"}, Group: groupBoosting,
			Help: "gbdt fits each tree to the gradients at the scores of all trees before it; dart leaves some of " +
				"these out.",
			Value: boostingValue{bind.Choice(&p.Boosting, GBDT, DART)}},
		{Name: "drop_rate", Aliases: []string{"rate_drop"}, Group: groupBoosting,
			Help:  "dart: mean share of the trees that are left out.",
			Value: bind.Float(&p.DropRate, bind.AtLeast(0), bind.AtMost(1))},
		{Name: "max_drop", Group: groupBoosting,
			Help:  "dart: largest number of trees that are left out at a time; no limit if it is below 1.",
			Value: bind.Int(&p.MaxDrop)},
		{Name: "skip_drop", Group: groupBoosting,
			Help:  "dart: probability that none is left out.",
			Value: bind.Float(&p.SkipDrop, bind.AtLeast(0), bind.AtMost(1))},
		{Name: "uniform_drop", Group: groupBoosting,
			Help:  "dart: all trees are left out with the same probability; otherwise heavy ones more often.",
			Value: bind.Bool(&p.UniformDrop)},
		{Name: "xgboost_dart_mode", Group: groupBoosting,
			Help: "dart: weigh trees as XGBoost does, by k/(k+learning_rate) where k are left out, and not by " +
				"k/(k+1).",
			Value: bind.Bool(&p.XGBoostDARTMode)},
	}
}

// BoostingParams determine how a tree depends on the trees before it, and the rows that it is fitted to.
type BoostingParams struct {
	Boosting string // GBDT or DART

	// For DART.
	DropRate        float64 // mean share of the trees that are left out
	MaxDrop         int     // largest number of trees that are left out at a time; below 1: any number
	SkipDrop        float64 // probability that none is left out
	UniformDrop     bool    // all trees are left out with the same probability
	XGBoostDARTMode bool    // trees are weighted as in XGBoost

	BaggingByQuery bool // a bag consists of whole queries; otherwise of single rows
}

// defaultBoosting returns LightGBM's defaults, except that bags have whole queries.
func defaultBoosting() BoostingParams {
	return BoostingParams{Boosting: GBDT, DropRate: 0.1, MaxDrop: 50, SkipDrop: 0.5, BaggingByQuery: true}
}

// hasBags reports whether trees are fitted to random bags.
func (p *Params) hasBags() bool { return p.BaggingFreq > 0 && p.BaggingFraction < 1 }

// StopsEarly reports whether training can end before all iterations are done. With dart it cannot: its trees
// change after they were grown, and the model of an earlier iteration is lost.
func (p *Params) StopsEarly() bool { return p.Patience > 0 && p.Boosting != DART }

// boostingCautions returns remarks on parameters of boosting and sampling that have no effect.
func boostingCautions(p *Params) []string {
	var remarks []string
	unused := func(when string, names ...string) {
		defaults := DefaultParams()
		for _, row := range p.Table() {
			if value := row.Value.String(); slices.Contains(names, row.Name) &&
				value != defaults.Table().Find(row.Name).Value.String() {
				remarks = append(remarks, fmt.Sprintf("%s=%s has no effect %s", row.Name, value, when))
			}
		}
	}
	if p.Patience == 0 {
		unused("while patience=0", "first_metric_only")
	}
	if p.Boosting != DART {
		unused("with boosting="+p.Boosting, strings.Fields("drop_rate max_drop skip_drop uniform_drop "+
			"xgboost_dart_mode drop_seed")...)
	}
	if p.Boosting == DART && p.Patience > 0 {
		unused("with boosting=dart, whose trees change later, as in LightGBM: all iterations are done", "patience")
	}
	if !p.hasBags() {
		unused("without bags (bagging_freq, bagging_fraction)", "bagging_by_query", "bagging_seed")
	}
	if p.CategoricalFeature == "" {
		unused("without categorical_feature", "cat_smooth", "cat_l2", "max_cat_threshold", "max_cat_to_onehot",
			"min_data_per_group")
	}
	return append(remarks, growthCautions(p, unused)...)
}
