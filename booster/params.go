package booster

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
)

// Params are the parameters of a training run. Begin with [DefaultParams]: a zero field never means the
// default. Parameters of LightGBM keep their names and meanings. docs/parameters.md lists all parameters.
type Params struct {
	// Threads, seed, metrics and early stopping. Each round is an iteration, which grows one tree.
	training.Params

	Objective     string    // a built-in objective (package objective); not used if Train is given one
	NumIterations int       // trees to train; early stopping may keep fewer
	LearningRate  float64   // factor that multiplies each tree's leaf values
	LearningRates []float64 // by tree, the last one also for all later trees; empty: LearningRate

	// Ensembles: the mean of several models.
	NumModels       int      // models to train, each with its own seed
	ModelObjectives []string // their objectives: model k uses entry k modulo the length; empty: Objective

	// Trees.
	NumLeaves           int     // largest number of leaves of a tree
	MaxDepth            int     // largest number of splits from the root to a leaf; below 1: any
	MinDataInLeaf       int     // smallest number of rows of a leaf
	MinSumHessianInLeaf float64 // smallest sum of the Hessians of a leaf
	LambdaL1            float64 // L1 penalty on leaf values
	LambdaL2            float64 // L2 penalty on leaf values
	MinGainToSplit      float64 // a split must gain more than this

	// SavedFeatureImportanceType selects the feature importance in model files: 0 counts splits, 1 sums their
	// gains.
	SavedFeatureImportanceType int

	GrowthParams

	BoostingParams

	// Sampling.
	AllowConstant   bool    // a model that gives all documents the same score is not an error
	ActiveFraction  float64 // share of the rows that each tree grows on: 1 is all rows; [AutoActive] chooses it
	FeatureFraction float64 // share of the features that a tree may use
	// share of the queries that a bag holds; a query is in a bag whole or not at all
	BaggingFraction float64
	BaggingFreq     int // iterations that share a bag; 0: no bagging

	Seeds

	// Binning.
	MaxBin                int    // largest number of bins of a feature
	MaxBinByFeature       string // MaxBin of single features, as a list by feature; empty: MaxBin for all
	MinDataInBin          int    // smallest number of sampled rows in a bin
	BinConstructSampleCnt int    // number of sampled rows from which bins are computed
	// columns in which nearly all rows have the bin of 0 may store only the other bins
	EnableSparse bool

	// Missing values.
	UseMissing    bool // NaN is a missing value, which each split sends to one side; otherwise NaN counts as 0
	ZeroAsMissing bool // zero is a missing value, and NaN counts as 0

	CategoryParams

	// Query context: additional columns, which are computed when the data is loaded.
	QueryContext         []string // kinds, such as "rank"; nil: none
	QueryContextFeatures string   // features that get them, such as "price,1-20", or "auto"; empty: all

	// Parameters of the built-in objectives: Sigmoid, LambdarankTruncationLevel, LabelGain and others.
	objective.AllParams
}

// DefaultParams returns LightGBM's defaults for its lambdarank objective.
func DefaultParams() Params {
	return Params{
		Params: training.DefaultParams(),

		Objective:     "lambdarank",
		NumIterations: 100,
		LearningRate:  0.1,

		NumModels: 1,

		NumLeaves:           31,
		MaxDepth:            -1,
		MinDataInLeaf:       20,
		MinSumHessianInLeaf: 1e-3,

		GrowthParams:   defaultGrowth(),
		BoostingParams: defaultBoosting(),

		ActiveFraction:  AutoActive,
		FeatureFraction: 1,
		BaggingFraction: 1,

		MaxBin:                255,
		MinDataInBin:          3,
		BinConstructSampleCnt: 200000,
		EnableSparse:          true,
		UseMissing:            true,

		CategoryParams: defaultCategories(),

		AllParams: objective.DefaultAllParams(),
	}
}

// Validate returns everything that is wrong with p, or nil: the name of each parameter, its value and what is
// allowed. It knows the metrics of package metric only.
func (p *Params) Validate() error { return p.ValidateFor(nil, nil) }

// ValidateFor is like Validate, for a run with the caller's own objective and metrics ([Options]); nil: there
// are none. StopMetric may name one of these metrics. With an objective of the caller's, the parameters that
// name and describe a built-in one are not checked, because they are not used.
func (p *Params) ValidateFor(obj objective.Objective, own []metric.Metric) error {
	table := p.Table()
	if obj != nil {
		unused := objective.Table(&p.AllParams)
		table = slices.DeleteFunc(table, func(entry param.Parameter) bool {
			return entry.Name == "objective" || unused.Find(entry.Name) != nil
		})
	}
	if obj == nil {
		own = p.judging(own)
	}
	err := p.Check(table, p.LabelGain, own...)
	if err == nil && obj == nil {
		err = p.checkObjectives()
	}
	return errors.Join(err, p.checkContext(), p.checkRates(), p.checkConstrained())
}

// Metrics returns the metrics to evaluate, as [training.Params.Metrics] does. They may be those of the
// probabilities of documents if the objective makes probabilities of scores.
func (p *Params) Metrics(labelGain metric.Gain, own ...metric.Metric) ([]metric.Metric, error) {
	return p.Params.Metrics(labelGain, p.judging(own)...)
}

// judging returns the caller's own metrics and those that the objectives of all models make possible. The
// scores of an ensemble stand for what those of its first model do.
func (p *Params) judging(own []metric.Metric) []metric.Metric {
	var first objective.Probable
	for _, name := range p.objectives() {
		obj, err := objective.New(name, &p.AllParams)
		o, is := obj.(objective.Probable)
		if err != nil || !is {
			return own
		}
		first = cmp.Or(first, o)
	}
	return slices.Concat(own, metric.DocumentMetrics(first.Probability))
}

// checkObjectives returns an error for objectives whose parameters contradict each other, and for
// objectives of models that are not trained.
func (p *Params) checkObjectives() error {
	n := len(p.ModelObjectives)
	switch {
	case n == 1 && p.NumModels == 1:
		return fmt.Errorf("model_objectives=%s has no effect with num_models=1; set objective=%s, or "+
			"num_models=2 or more", p.ModelObjectives[0], p.ModelObjectives[0])
	case n > p.NumModels:
		return fmt.Errorf("model_objectives names %d objectives for num_models=%d; set num_models=%d or more", n,
			p.NumModels, n)
	}
	var errs []error
	for _, name := range p.objectives() {
		_, err := objective.New(name, &p.AllParams)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// objectives returns the names of the objectives of all models.
func (p *Params) objectives() []string {
	if len(p.ModelObjectives) > 0 {
		return p.ModelObjectives
	}
	return []string{p.Objective}
}

// uses reports whether the objective of any model reads a parameter.
func (p *Params) uses(parameter string) bool {
	return slices.ContainsFunc(p.objectives(), func(name string) bool { return objective.Uses(name, parameter) })
}

// Cautions returns remarks on parameters that are valid but may not do what the user expects.
func (p *Params) Cautions() []string {
	remarks := boostingCautions(p)
	if remark := ratesCaution(p); remark != "" {
		remarks = append(remarks, remark)
	}
	if p.BaggingFraction < 1 && p.BaggingFreq == 0 {
		remarks = append(remarks, fmt.Sprintf("bagging_fraction=%v has no effect while bagging_freq=0; set "+
			"bagging_freq=1", p.BaggingFraction))
	}
	if p.BaggingFraction == 1 && p.BaggingFreq > 0 {
		remarks = append(remarks, fmt.Sprintf("bagging_freq=%d has no effect while bagging_fraction=1",
			p.BaggingFreq))
	}
	if p.ZeroAsMissing && !p.UseMissing {
		remarks = append(remarks, "zero_as_missing=true has no effect while use_missing=false")
	}
	if len(p.QueryContext) == 0 && p.QueryContextFeatures != "" {
		remarks = append(remarks, fmt.Sprintf("query_context_features=%s has no effect without query_context; "+
			"set query_context=rank", p.QueryContextFeatures))
	}
	for _, unused := range objective.Unused(p.Objective, &p.AllParams) {
		if len(p.ModelObjectives) == 0 {
			remarks = append(remarks, fmt.Sprintf("%s=%v has no effect with objective=%s", unused.Name, unused.Value,
				p.Objective))
		}
	}
	if len(p.ModelObjectives) > 0 {
		remarks = append(remarks, ensembleCautions(p)...)
	}
	if p.uses("lambdaloss_mu") && p.LambdalossMu != objective.DefaultAllParams().LambdalossMu &&
		p.LambdalossScheme != "ndcg_loss2++" {
		remarks = append(remarks, fmt.Sprintf("lambdaloss_mu=%v has no effect with lambdaloss_scheme=%s",
			p.LambdalossMu, p.LambdalossScheme))
	}
	if remark := p.CutoffCaution(p.PairLimit(), p.FirstRanks()); remark != "" &&
		p.uses("lambdarank_truncation_level") {
		remarks = append(remarks, remark)
	}
	return remarks
}

// ensembleCautions returns remarks on parameters that no objective of an ensemble uses.
func ensembleCautions(p *Params) (remarks []string) {
	list := strings.Join(p.ModelObjectives, ",")
	if p.Objective != DefaultParams().Objective {
		remarks = append(remarks, fmt.Sprintf("objective=%s has no effect beside model_objectives=%s", p.Objective,
			list))
	}
	for _, unused := range objective.Unused(p.ModelObjectives[0], &p.AllParams) {
		if !p.uses(unused.Name) {
			remarks = append(remarks, fmt.Sprintf("%s=%v has no effect with model_objectives=%s", unused.Name,
				unused.Value, list))
		}
	}
	return remarks
}

// rateOf returns the learning rate of tree n of this run, from 0.
func (p *Params) rateOf(n int) float64 {
	if len(p.LearningRates) == 0 {
		return p.LearningRate
	}
	return p.LearningRates[min(n, len(p.LearningRates)-1)]
}

// checkRates returns an error for learning rates that would have no effect.
func (p *Params) checkRates() error {
	usual := DefaultParams()
	switch {
	case len(p.LearningRates) == 0:
		return nil
	case p.LearningRate != usual.LearningRate:
		return fmt.Errorf("learning_rate=%v and learning_rates: each tree has one rate; leave one of them out",
			p.LearningRate)
	}
	return nil
}

// ratesCaution returns a remark if there are learning rates of trees that are not grown; otherwise "".
func ratesCaution(p *Params) string {
	n := len(p.LearningRates)
	if n <= p.NumIterations {
		return ""
	}
	return fmt.Sprintf("learning_rates has %d rates, and the last %d have no effect: num_iterations is %d", n,
		n-p.NumIterations, p.NumIterations)
}
