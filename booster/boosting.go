package booster

import (
	"errors"
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
	RF   = "rf"   // a random forest: none of them counts, and scores are averages (forest.go)
)

// Ways of choosing the rows that a tree is fitted to, the values of Params.DataSampleStrategy.
const (
	Bagging = "bagging" // a random part of the queries or rows (sample.go)
	GOSS    = "goss"    // the rows with large gradients and a random part of the others (goss.go)
)

// boostingWords are other names of kinds of boosting: those of LightGBM, and of XGBoost's parameter booster.
var boostingWords = map[string]string{"gbrt": GBDT, "gbtree": GBDT, "random_forest": RF}

// boostingValue is the [param.Value] of the parameter boosting. As in earlier versions of LightGBM, the value
// goss sets the way of sampling.
type boostingValue struct {
	param.Value
	strategy *string
}

func (v boostingValue) Set(text string) error {
	if text == GOSS {
		*v.strategy, text = GOSS, GBDT
	}
	if kind, ok := boostingWords[text]; ok {
		text = kind
	}
	return v.Value.Set(text)
}

func (p *Params) boostingTable() param.Table {
	return param.Table{
		{Name: "boosting", Aliases: []string{"boosting_type", "boost", "booster"}, Group: groupBoosting,
			Help: "gbdt fits each tree to the gradients at the scores of all trees before it; dart leaves some of " +
				"these out; rf is a random forest, whose scores are averages of trees that are fitted alone.",
			Value: boostingValue{bind.Choice(&p.Boosting, GBDT, DART, RF), &p.DataSampleStrategy}},
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
	Boosting string // GBDT, DART or RF

	// For DART.
	DropRate        float64 // mean share of the trees that are left out
	MaxDrop         int     // largest number of trees that are left out at a time; below 1: any number
	SkipDrop        float64 // probability that none is left out
	UniformDrop     bool    // all trees are left out with the same probability
	XGBoostDARTMode bool    // trees are weighted as in XGBoost

	DataSampleStrategy string  // Bagging or GOSS
	TopRate            float64 // for GOSS: share of the rows that are taken for their large gradients
	OtherRate          float64 // for GOSS: share of the rows that are drawn from the others
	BaggingByQuery     bool    // a bag consists of whole queries; otherwise of single rows
}

// defaultBoosting returns LightGBM's defaults, except that bags have whole queries.
func defaultBoosting() BoostingParams {
	return BoostingParams{Boosting: GBDT, DropRate: 0.1, MaxDrop: 50, SkipDrop: 0.5,
		DataSampleStrategy: Bagging, TopRate: 0.2, OtherRate: 0.1, BaggingByQuery: true}
}

// hasBags reports whether trees are fitted to random bags.
func (p *Params) hasBags() bool { return p.BaggingFreq > 0 && p.BaggingFraction < 1 }

// StopsEarly reports whether training can end before all iterations are done. With dart it cannot: its trees
// change after they were grown, and the model of an earlier iteration is lost.
func (p *Params) StopsEarly() bool { return p.Patience > 0 && p.Boosting != DART }

// checkBoosting returns an error for parameters that contradict each other.
func (p *Params) checkBoosting() error {
	var errs []error
	goss := p.DataSampleStrategy == GOSS
	if p.Boosting == RF && !goss && !p.hasBags() && p.FeatureFraction >= 1 {
		errs = append(errs, errors.New("boosting=rf: all trees would be equal: set bagging_freq=1 and "+
			"bagging_fraction below 1, or feature_fraction below 1"))
	}
	if p.Boosting == RF && goss {
		errs = append(errs, errors.New("boosting=rf and data_sample_strategy=goss: all trees of a forest "+
			"have the same gradients, so that goss would always keep the same rows; use bagging_freq and "+
			"bagging_fraction"))
	}
	if p.Boosting == RF && p.LambdarankUnbiased {
		errs = append(errs, errors.New("boosting=rf and lambdarank_unbiased=true: the gradients of a forest are "+
			"those before the first tree, so that it learns no ratios of positions; leave lambdarank_unbiased out"))
	}
	if goss && p.hasBags() {
		errs = append(errs, fmt.Errorf("data_sample_strategy=goss and bagging_fraction=%v: each chooses the "+
			"rows of a tree; leave bagging_fraction and bagging_freq out", p.BaggingFraction))
	}
	if goss && !(p.TopRate > 0 && p.OtherRate > 0 && p.TopRate+p.OtherRate <= 1) {
		errs = append(errs, fmt.Errorf("data_sample_strategy=goss: top_rate=%v and other_rate=%v: want two "+
			"shares above 0 that sum to at most 1", p.TopRate, p.OtherRate))
	}
	return errors.Join(errs...)
}

// boostingCautions returns remarks on parameters of boosting and sampling that have no effect.
func (p *Params) boostingCautions() []string {
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
	if p.Boosting == RF {
		unused("with boosting=rf: scores are averages of whole trees", "learning_rate")
	}
	if p.DataSampleStrategy != GOSS {
		unused("with data_sample_strategy="+p.DataSampleStrategy, "top_rate", "other_rate")
	}
	if remark := p.gossCaution(); remark != "" {
		remarks = append(remarks, remark)
	}
	if !p.hasBags() {
		unused("without bags (bagging_freq, bagging_fraction)", "bagging_by_query")
	}
	if !p.hasBags() && p.DataSampleStrategy != GOSS {
		unused("without bags (bagging_freq, bagging_fraction)", "bagging_seed")
	}
	if p.CategoricalFeature == "" {
		unused("without categorical_feature", "cat_smooth", "cat_l2", "max_cat_threshold", "max_cat_to_onehot",
			"min_data_per_group")
	}
	return append(remarks, p.growthCautions(unused)...)
}

// checkForest returns an error for initial scores with which a random forest cannot begin.
func (p *Params) checkForest(train Data, valid []Data, before int) error {
	if p.Boosting != RF {
		return nil
	}
	if before > 0 {
		return errors.New("boosting=rf: a forest cannot go on from a model (input_model), because its scores " +
			"are averages; train another forest and join them: lambdamart model a.txt join=b.txt")
	}
	for _, d := range append([]Data{train}, valid...) {
		if d.Meta.InitialScores != nil {
			return fmt.Errorf("boosting=rf: %s has initial scores (.init), and a forest, whose scores are "+
				"averages, begins with none", d.Name)
		}
	}
	return nil
}
