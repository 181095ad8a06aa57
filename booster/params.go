package booster

import (
	"slices"

	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/training"
)

// Kinds of boosting, the values of Params.Boosting.
const (
	GBDT = "gbdt" // each tree is fitted to the gradients at the scores of all trees before it
	DART = "dart" // some of the trees before it are left out (dart.go)
)

// Ways of bounding the values of leaves, the values of Params.MonotoneConstraintsMethod.
const (
	MonotoneBasic        = "basic"
	MonotoneIntermediate = "intermediate"
)

// Orders in which leaves are split, the values of Params.GrowPolicy.
const (
	Leafwise  = "leafwise"
	Depthwise = "depthwise"
	Symmetric = "symmetric"
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

	// Further rules for splits and leaf values. The defaults turn all of them off.
	MaxDeltaStep          float64 // largest magnitude of a leaf value before shrinkage; 0: any
	PathSmooth            float64 // number of rows at which half of a leaf's value is its parent's; 0: none
	ExtraTrees            bool    // one random threshold of each feature is tried for each leaf
	FeatureFractionByNode float64 // share of the tree's features that a leaf may be split on
	FeatureContri         string  // factors on the gains of features, as a list by feature

	MonotoneConstraints       string  // 1 rising, -1 falling, 0 any, as a list by feature
	MonotoneConstraintsMethod string  // MonotoneBasic or MonotoneIntermediate
	MonotonePenalty           float64 // on splits by monotone features near the root; 0: none
	InteractionConstraints    string  // sets of features that may meet on a path: [0,1],[1,2]

	GrowPolicy string // Leafwise, Depthwise or Symmetric

	// How a tree depends on the trees before it. The fields after Boosting are for DART.
	Boosting        string  // GBDT or DART
	DropRate        float64 // mean share of the trees that are left out
	MaxDrop         int     // largest number of trees that are left out at a time; below 1: any number
	SkipDrop        float64 // probability that none is left out
	UniformDrop     bool    // all trees are left out with the same probability
	XGBoostDARTMode bool    // trees are weighted as in XGBoost

	// Sampling.
	AllowConstant   bool    // a model that gives all documents the same score is not an error
	ActiveFraction  float64 // share of the rows that each tree grows on: 1 is all rows; [AutoActive] chooses it
	FeatureFraction float64 // share of the features that a tree may use
	BaggingFraction float64 // share of the queries, or rows (BaggingByQuery), that a bag holds
	BaggingFreq     int     // iterations that share a bag; 0: no bagging
	BaggingByQuery  bool    // a bag consists of whole queries; otherwise of single rows

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

	// Categorical features, and how sets of categories are found. Names and meanings are those of LightGBM.
	CategoricalFeature string // numbers of features, "0,3", or names, "name:brand,color"; empty: none
	// added to the Hessian of a category to sort categories, and smallest number of rows of a sorted category
	CatSmooth       float64
	CatL2           float64 // L2 penalty on leaf values below sets of sorted categories, in addition to LambdaL2
	MaxCatThreshold int     // largest number of categories on the left
	MaxCatToOnehot  int     // features with at most this many bins try each category alone on one side
	MinDataPerGroup int     // smallest number of rows by which two sets that are tried differ

	// Query context: additional columns, which are computed when the data is loaded.
	QueryContext         []string // kinds, such as "rank"; nil: none
	QueryContextFeatures string   // features that get them, such as "price,1-20", or "auto"; empty: all

	// Parameters of the built-in objectives: Sigmoid, LambdarankTruncationLevel, LabelGain and others.
	objective.AllParams
}

// AutoActive is the value of Params.ActiveFraction with which the data decide the share (control.go).
const AutoActive = 0.0

// DefaultParams returns LightGBM's defaults for its lambdarank objective, except that bags have whole
// queries.
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

		FeatureFractionByNode: 1, MonotoneConstraintsMethod: MonotoneBasic, GrowPolicy: Leafwise,

		Boosting: GBDT, DropRate: 0.1, MaxDrop: 50, SkipDrop: 0.5,

		ActiveFraction:  AutoActive,
		FeatureFraction: 1,
		BaggingFraction: 1,
		BaggingByQuery:  true,

		MaxBin:                255,
		MinDataInBin:          3,
		BinConstructSampleCnt: 200000,
		EnableSparse:          true,
		UseMissing:            true,

		CatSmooth: 10, CatL2: 10, MaxCatThreshold: 32, MaxCatToOnehot: 4, MinDataPerGroup: 100,

		AllParams: objective.DefaultAllParams(),
	}
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

// rateOf returns the learning rate of tree n of this run, from 0.
func (p *Params) rateOf(n int) float64 {
	if len(p.LearningRates) == 0 {
		return p.LearningRate
	}
	return p.LearningRates[min(n, len(p.LearningRates)-1)]
}

// BinParams returns the part of p by which bins are found.
func (p *Params) BinParams() BinParams {
	b := BinParams{MaxBin: p.MaxBin, MinDataInBin: p.MinDataInBin,
		SampleCount: p.BinConstructSampleCnt, Seed: seedOr(p.DataRandomSeed, p.Seed),
		Categorical: p.CategoricalFeature, MaxBinByFeature: p.MaxBinByFeature,
		Sparse: p.EnableSparse}
	switch {
	case p.UseMissing && p.ZeroAsMissing:
		b.Missing = histogram.MissingZero
	case p.UseMissing:
		b.Missing = histogram.MissingNaN
	}
	return b
}

// AdoptBins sets the binning parameters of p from existing bins. It is the inverse of BinParams, except for
// the seed, which no longer matters.
func (p *Params) AdoptBins(b BinParams) {
	p.MaxBin, p.MinDataInBin, p.BinConstructSampleCnt = b.MaxBin, b.MinDataInBin, b.SampleCount
	p.CategoricalFeature, p.MaxBinByFeature = b.Categorical, b.MaxBinByFeature
	p.EnableSparse = b.Sparse
	p.UseMissing, p.ZeroAsMissing = b.Missing != histogram.MissingNone, b.Missing == histogram.MissingZero
}

// newObjective returns the built-in objective that p names, with its parameters.
func (p *Params) newObjective() (objective.Objective, error) {
	return objective.New(p.Objective, &p.AllParams)
}

// hasBags reports whether trees are fitted to random bags.
func (p *Params) hasBags() bool { return p.BaggingFreq > 0 && p.BaggingFraction < 1 }

// StopsEarly reports whether training can end before all iterations are done. With dart it cannot: its trees
// change after they were grown, and the model of an earlier iteration is lost.
func (p *Params) StopsEarly() bool { return p.Patience > 0 && p.Boosting != DART }
