package wording

import (
	"fmt"
	"strings"
)

// Foreign is a parameter of another ranking library.
type Foreign struct {
	Theirs string // names, or NAME=VALUE for which the note holds, separated by ", "
	Ours   string // the parameter that does the same; "" if none does
	Note   string // what differs
}

// Hint says what a parameter of XGBoost or CatBoost is called here, or "" if neither
// has a parameter of that name.
func Hint(name string) string {
	for _, library := range []struct {
		name  string
		table []Foreign
	}{{"XGBoost", XGBoost}, {"CatBoost", CatBoost}} {
		for _, f := range library.table {
			if f.has(name) {
				return f.hint(library.name, name)
			}
		}
	}
	return ""
}

func (f *Foreign) has(name string) bool {
	for _, theirs := range strings.Split(f.Theirs, ", ") {
		if theirs, _, _ = strings.Cut(theirs, "="); theirs == name {
			return true
		}
	}
	return false
}

func (f *Foreign) hint(library, name string) string {
	switch {
	case f.Ours == "":
		return fmt.Sprintf("%s's %s has no counterpart: %s", library, name, f.Note)
	case f.Note == "" || strings.Contains(f.Theirs, "="): // a note on one of several values
		return fmt.Sprintf("%s's %s is %s here", library, name, f.Ours)
	}
	return fmt.Sprintf("%s's %s is %s here (%s)", library, name, f.Ours, f.Note)
}

// XGBoost lists XGBoost's parameters for ranking.
var XGBoost = []Foreign{
	{"objective=rank:ndcg", "objective", "lambdarank; rank:ndcg is an alias"},
	{"objective=rank:pairwise, rank:map", "objective", "rank_pairwise, rank_map"},
	{"booster=gbtree, dart", "boosting", "gbdt, dart; gblinear is refused"},
	{"num_boost_round, n_estimators", "num_iterations", ""},
	{"eta, learning_rate", "learning_rate", "XGBoost's default is 0.3"},
	{"max_depth", "max_depth",
		"limits trees that grow leaf by leaf; XGBoost's default is 6 and its trees grow level by " +
			"level"},
	{"max_leaves", "num_leaves", "XGBoost's default 0 is no limit"},
	{"min_child_weight", "min_sum_hessian_in_leaf", "Hessians of different losses have different sizes"},
	{"gamma, min_split_loss", "min_gain_to_split", "XGBoost's gain is half of LightGBM's"},
	{"lambda, reg_lambda", "lambda_l2", "XGBoost's default is 1"},
	{"alpha, reg_alpha", "lambda_l1", ""},
	{"subsample", "bagging_fraction", "with bagging_freq=1; XGBoost draws rows: bagging_by_query=false"},
	{"colsample_bytree", "feature_fraction", ""},
	{"colsample_bynode", "feature_fraction_bynode", "a share of those of the tree"},
	{"monotone_constraints", "monotone_constraints", "brackets are allowed"},
	{"interaction_constraints", "interaction_constraints", "features in no set are not used"},
	{"max_delta_step", "max_delta_step", "before shrinkage, as in LightGBM"},
	{"max_bin", "max_bin", ""},
	{"rate_drop", "drop_rate", "XGBoost's default is 0"},
	{"skip_drop", "skip_drop", "XGBoost's default is 0"},
	{"sample_type=uniform", "uniform_drop", "true; sample_type=weighted is false"},
	{"normalize_type=tree", "xgboost_dart_mode", "true"},
	{"lambdarank_pair_method, lambdarank_num_pair_per_sample", "lambdarank_pair_method",
		"the same, and all beside topk and mean; pairs that are drawn with mean weigh as all pairs do"},
	{"lambdarank_normalization", "lambdarank_log_norm",
		"the same with lambdarank_pair_method=topk; XGBoost's name is an alias"},
	{"lambdarank_score_normalization", "lambdarank_score_gap_norm", "XGBoost's name is an alias"},
	{"lambdarank_unbiased, lambdarank_bias_norm", "",
		"ratios of positions; use lambdarank_position_bias_regularization, which learns biases"},
	{"ndcg_exp_gain", "label_gain", "exp2 or linear"},
	{"eval_metric=ndcg@k, map@k", "metric", "metric_convention=xgboost-"},
	{"early_stopping_rounds", "patience", ""},
	{"verbose_eval", "metric_freq", "iterations from one printed line of metrics to the next"},
	{"xgb_model", "input_model", ""},
	{"base_margin", "data", "the companion .init"},
	{"seed", "seed", ""},
	{"nthread", "num_threads", ""},
	{"grow_policy=depthwise, lossguide", "grow_policy",
		"lossguide is leafwise, the default; where max_leaves ends a level, leaves that gain most " +
			"come first"},
	{"tree_method, device", "", "how trees are grown; there is one way here, by histograms on processors"},
}

// CatBoost lists CatBoost's parameters for ranking.
var CatBoost = []Foreign{
	{"loss_function=YetiRank, YetiRankPairwise", "objective",
		"yetirank; the pairwise form solves for leaf values in another way, and is not there"},
	{"loss_function=LambdaMart", "objective", "lambdarank"},
	{"loss_function=QueryRMSE", "objective", "query_rmse"},
	{"loss_function=PairLogit", "objective", "rank_pairwise"},
	{"iterations", "num_iterations", "CatBoost's default is 1000"},
	{"learning_rate", "learning_rate", "CatBoost chooses one by the data"},
	{"depth", "max_depth", "with num_leaves=64 for 6 levels, which is CatBoost's default"},
	{"grow_policy=SymmetricTree, Depthwise, Lossguide", "grow_policy",
		"symmetric, depthwise, leafwise; CatBoost's default is SymmetricTree"},
	{"score_function=L2", "grow_policy",
		"the sum of gains by which symmetric trees choose splits; Cosine, CatBoost's default, is " +
			"not there"},
	{"l2_leaf_reg", "lambda_l2", "CatBoost's default is 3"},
	{"rsm", "feature_fraction", ""},
	{"subsample", "bagging_fraction", "with bagging_freq=1"},
	{"border_count", "max_bin", "CatBoost's default is 254"},
	{"min_data_in_leaf", "min_data_in_leaf", "CatBoost's default is 1"},
	{"custom_metric, eval_metric=NDCG:top=k", "metric", "metric_convention=catboost"},
	{"od_wait", "patience", ""},
	{"od_type, od_pval", "", "training ends early by patience, as with od_type=Iter"},
	{"use_best_model", "patience", "the model ends at the best iteration"},
	{"random_seed", "seed", ""},
	{"thread_count", "num_threads", ""},
	{"bootstrap_type, bagging_temperature, random_strength, mvs_reg", "",
		"Bayesian weights and noise on gains; use bagging_fraction"},
	{"cat_features", "categorical_feature",
		"sets of categories, in symmetric trees one for all leaves of a level; CatBoost's " +
			"statistics of labels by category are not there"},
	{"one_hot_max_size", "max_cat_to_onehot", "counts one bin more, for rare and missing values"},
	{"boosting_type=Ordered", "",
		"gradients from models of earlier rows, against leaks of categorical statistics; there " +
			"are none here"},
}
