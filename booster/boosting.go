package booster

import (
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/param"
)

// Kinds of boosting, the values of Params.Boosting.
const (
	GBDT = "gbdt" // each tree is fitted to the gradients at the scores of all trees before it
	DART = "dart" // some of the trees before it are left out (dart.go)
)

// groupBoosting is a heading of the documentation.
const groupBoosting = "Boosting"

func (p *BoostingParams) table() param.Table {
	return param.Table{
		{Name: "boosting", Aliases: []string{"boosting_type", "boost", "booster"}, Group: groupBoosting,
			Help: "gbdt fits each tree to the gradients at the scores of all trees before it; dart leaves some of " +
				"these out.",
			// the aliases are those of LightGBM, and of XGBoost's parameter booster
			Value: bind.Named(&p.Boosting, wording.Term{Name: GBDT, Aliases: []string{"gbrt", "gbtree"}},
				wording.Term{Name: DART})},
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
