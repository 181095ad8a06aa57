package booster

import (
	"slices"

	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/byfeature"
	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/internal/widened"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/param"
)

// Headings of the documentation.
const (
	groupBoosting = "Boosting"
	groupBinning  = "Binning"
)

// Table returns the parameters, bound to the fields of p: their names on the command line and in
// configuration files, aliases, bounds and help. Parameters of LightGBM 4.7 keep their names and aliases.
func (p *Params) Table() param.Table {
	shared := rounds.Table(&p.Params, rounds.Words{
		Rounds: "iterations", Draws: "rows for binning, bags of queries, features, what objectives draw",
		Best: "keeps the best one's trees", KeepsRounds: true,
	})
	return slices.Concat(
		trainingTable(p), shared.In(rounds.GroupTraining),
		treesTable(p),
		growthTable(p),
		boostingTable(p),
		samplingTable(p),
		p.Seeds.table(),
		binningTable(p),
		categoriesTable(p),
		contextTable(p),
		objective.Table(&p.AllParams),
		shared.In(rounds.GroupEvaluation),
		shared.In(rounds.GroupStopping),
	)
}

func trainingTable(p *Params) param.Table {
	return param.Table{
		{Name: "objective", Aliases: []string{"objective_type", "app", "application", "loss"},
			Group: rounds.GroupTraining,
			Help:  "Loss that training minimizes.",
			Value: objective.Choice(&p.Objective)},
		{Name: "num_iterations", Aliases: []string{"num_iteration", "n_iter", "num_tree", "num_trees", "num_round",
			"num_rounds", "nrounds", "num_boost_round", "n_estimators", "max_iter"}, Group: rounds.GroupTraining,
			Help:  "Trees to train; early stopping may keep fewer.",
			Value: bind.Int(&p.NumIterations, bind.AtLeast(1))},
		{Name: "learning_rate", Aliases: []string{"shrinkage_rate", "eta"}, Group: rounds.GroupTraining,
			Help:  "Factor on each tree's leaf values.",
			Value: bind.Float(&p.LearningRate, bind.Positive())},
		{Name: "learning_rates", Group: rounds.GroupTraining,
			Help: "A schedule instead of learning_rate: the factors of the trees of this run, separated by " +
				"commas; later trees use the last one. Continuing from a model begins with the first again.",
			Value: bind.Floats(&p.LearningRates, bind.Positive())},
		{Name: "num_models", Group: rounds.GroupTraining,
			Help: "Models to train, with consecutive seeds. Their scores are scaled alike and " +
				"averaged, in one model with the trees of all.",
			Value: bind.Int(&p.NumModels, bind.AtLeast(1), bind.AtMost(1000))},
		{Name: "model_objectives", Group: rounds.GroupTraining,
			Help:  "Objectives of the models (num_models), in order; objective if it is empty.",
			Value: objective.Choices(&p.ModelObjectives)},
	}
}

// mostLeaves is the largest num_leaves.
const mostLeaves = 1 << 17

func treesTable(p *Params) param.Table {
	return param.Table{
		{Name: "num_leaves", Aliases: []string{"num_leaf", "max_leaves", "max_leaf", "max_leaf_nodes"},
			Group: groupTrees,
			Help:  "Largest number of leaves of a tree.",
			Value: bind.Int(&p.NumLeaves, bind.AtLeast(2), bind.AtMost(mostLeaves))},
		{Name: "max_depth", Aliases: []string{"depth"}, Group: groupTrees,
			Help: "Largest number of splits from the root to a leaf; no limit if it is below 1. Symmetric trees " +
				"have this many levels, if num_leaves is at least 2 to that power.",
			Value: bind.Int(&p.MaxDepth)},
		{Name: "min_data_in_leaf", Aliases: []string{"min_data_per_leaf", "min_data", "min_child_samples",
			"min_samples_leaf"}, Group: groupTrees,
			Help:  "Smallest number of rows in a leaf.",
			Value: bind.Int(&p.MinDataInLeaf, bind.AtLeast(0))},
		{Name: "min_sum_hessian_in_leaf", Aliases: []string{"min_sum_hessian_per_leaf", "min_sum_hessian",
			"min_hessian", "min_child_weight"}, Group: groupTrees,
			Help:  "Smallest sum of Hessians in a leaf.",
			Value: bind.Float(&p.MinSumHessianInLeaf, bind.AtLeast(0))},
		{Name: "lambda_l1", Aliases: []string{"reg_alpha", "l1_regularization"}, Group: groupTrees,
			Help:  "L1 penalty on leaf values.",
			Value: bind.Float(&p.LambdaL1, bind.AtLeast(0))},
		{Name: "lambda_l2", Aliases: []string{"reg_lambda", "lambda", "l2_regularization"}, Group: groupTrees,
			Help:  "L2 penalty on leaf values.",
			Value: bind.Float(&p.LambdaL2, bind.AtLeast(0))},
		{Name: "min_gain_to_split", Aliases: []string{"min_split_gain"}, Group: groupTrees,
			Help:  "A split must gain more than this.",
			Value: bind.Float(&p.MinGainToSplit, bind.AtLeast(0))},
		{Name: "allow_constant", Group: groupTrees, SameModel: true,
			Help: "If no tree can be grown: true trains a model that gives all documents the same score, as " +
				"LightGBM does, with a warning; false is an error. In Python, the default is true.",
			Value: bind.Bool(&p.AllowConstant)},
		{Name: "saved_feature_importance_type", Group: groupTrees,
			Help: "What the model file lists as the importance of features: 0 numbers of splits, 1 " +
				"sums of their gains, truncated to integers. Scores do not depend on it.",
			Value: bind.Int(&p.SavedFeatureImportanceType, bind.AtLeast(0), bind.AtMost(1))},
	}
}

func boostingTable(p *Params) param.Table {
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

func samplingTable(p *Params) param.Table {
	return param.Table{
		{Name: "active_fraction", Group: groupSampling,
			Help: "Share of the rows that each tree grows on: 1 is every row at full resolution. Above 40,000 rows, " +
				"auto takes as many, down to 1 of 32, as pay on queries that the tree has not seen, and every row with " +
				"fewer than 64 queries, dart or a feature_fraction below 1. Gradients are rounded at " +
				"random without bias, so that small ones mostly vanish; leaf values are set from all rows.",
			Value: activeFractionValue{&p.ActiveFraction}},
		{Name: "feature_fraction", Aliases: []string{"sub_feature", "colsample_bytree"}, Group: groupSampling,
			Help:  "Share of the features that a tree may use.",
			Value: bind.Float(&p.FeatureFraction, bind.Positive(), bind.AtMost(1))},
		{Name: "feature_fraction_bynode", Aliases: []string{"sub_feature_bynode", "colsample_bynode"},
			Group: groupSampling,
			Help:  "Share of the tree's features that a leaf may be split on, drawn for each leaf.",
			Value: bind.Float(&p.FeatureFractionByNode, bind.Positive(), bind.AtMost(1))},
		{Name: "bagging_fraction", Aliases: []string{"sub_row", "subsample", "bagging"}, Group: groupSampling,
			Help:  "Share of the queries, or of the rows, that a bag holds.",
			Value: bind.Float(&p.BaggingFraction, bind.Positive(), bind.AtMost(1))},
		{Name: "bagging_freq", Aliases: []string{"subsample_freq"}, Group: groupSampling,
			Help:  "Iterations that share a bag; 0 turns bagging off.",
			Value: bind.Int(&p.BaggingFreq, bind.AtLeast(0))},
		{Name: "bagging_by_query", Group: groupSampling,
			Help: "Draw whole queries for a bag; otherwise single rows, as LightGBM does by default. All rows of " +
				"a query are ranked together in either case.",
			Value: bind.Bool(&p.BaggingByQuery)},
	}
}

// maxBinRange is the range of the numbers in max_bin_by_feature.
var maxBinRange = byfeature.Range{Least: 2, Most: histogram.MostBins, Whole: true}

func binningTable(p *Params) param.Table {
	return param.Table{
		{Name: "max_bin", Aliases: []string{"max_bins"}, Group: groupBinning,
			Help:  "Largest number of bins of a feature. A feature with more than 256 takes two bytes of a row.",
			Value: bind.Int(&p.MaxBin, bind.AtLeast(2), bind.AtMost(histogram.MostBins))},
		{Name: "max_bin_by_feature", Group: groupBinning,
			Help: "Largest numbers of bins of single features: a number for each feature, with commas between, or " +
				"NAME:NUMBER for some; max_bin for the others.",
			Value: byFeatureValue{bind.Text(&p.MaxBinByFeature), maxBinRange}},
		{Name: "min_data_in_bin", Group: groupBinning,
			Help:  "Smallest number of sampled rows in a bin.",
			Value: bind.Int(&p.MinDataInBin, bind.AtLeast(1))},
		{Name: "bin_construct_sample_cnt", Aliases: []string{"subsample_for_bin"}, Group: groupBinning,
			Help:  "Rows from which bins are found.",
			Value: bind.Int(&p.BinConstructSampleCnt, bind.AtLeast(1))},
		{Name: "is_enable_sparse", Aliases: []string{"is_sparse", "enable_sparse", "sparse"}, Group: groupBinning,
			SameModel: true,
			Help: "Where that makes rows much shorter, features that are mostly 0 take memory only for their " +
				"other values. The model is the same.",
			Value: bind.Bool(&p.EnableSparse)},
		{Name: "use_missing", Group: groupBinning,
			Help: "NaN is a missing value: each split on a feature with missing values learns to " +
				"which side they go. Otherwise NaN counts as 0.",
			Value: bind.Bool(&p.UseMissing)},
		{Name: "zero_as_missing", Group: groupBinning,
			Help: "Zero is a missing value, including absent features of LETOR files, and NaN counts " +
				"as 0.",
			Value: bind.Bool(&p.ZeroAsMissing)},
	}
}

// groupContext is a heading of the documentation.
const groupContext = "Query context"

func contextTable(p *Params) param.Table {
	return param.Table{
		{Name: "query_context", Group: groupContext,
			Help: "Columns that compare a feature's value with the values of the query's other " +
				"documents: " +
				widened.KindNames() + ". docs/objectives.md has the formulas. Empty: none.",
			Value: bind.Checked(bind.Texts(&p.QueryContext), "of "+widened.KindNames(),
				func() error { return widened.CheckKinds(p.QueryContext) })},
		{Name: "query_context_features", Group: groupContext,
			Help: "Features that get query context: names, numbers of the model's columns (12) and " +
				"ranges of numbers (1-20), with commas between; all if it is empty.",
			Value: bind.Text(&p.QueryContextFeatures)},
	}
}

// IsOfTrees reports whether a parameter describes the trees, such as their learning rate, shape and sampling,
// in contrast to the loss, the number of trees and the evaluation.
func IsOfTrees(name string) bool {
	defaults := DefaultParams()
	row := defaults.Table().Find(name)
	if row == nil {
		return false
	}
	names := []string{"learning_rate", "learning_rates", "num_models", "model_objectives"}
	groups := []string{groupTrees, groupBoosting, groupSampling}
	return slices.Contains(names, row.Name) || slices.Contains(groups, row.Group)
}
