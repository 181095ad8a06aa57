package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/param"
)

// docs/from-lightgbm.md is generated from the program's own table, LightGBM's lists in testdata, and the
// notes below. When a parameter gains an effect, regenerating the page moves it to the right place.

const fromLightGBMHeader = `# From LightGBM, XGBoost, CatBoost and RankLib

Made from the program's own table by ` + "`go test ./cmd/lambdamart -run Docs -update`" + `. Every parameter of LightGBM 4.7 is below;
` + "`test/check_parameters.py`" + ` compares the list and the defaults with LightGBM's own.

A configuration file of LightGBM runs unchanged: ` + "`lambdamart config=train.conf`" + `. A line that asks for something that this program does
not do is an error that names the line; a parameter that decides nothing here is accepted, and a note says so. Data needs query ids
(` + "`qid:`" + `, or the companion ` + "`.query`" + `) and files are read as LightGBM reads them: label first, LETOR text or a table.

Above 40,000 rows, a tree may grow on fewer rows, down to 1 of 32, by random rounding of gradients without bias: as many as pay on
queries that the tree has not seen. A line of the log says so, and the model keeps the shares. ` + "`active_fraction=1`" + ` takes every row,
as LightGBM does.

- **same**: the meaning is LightGBM's, and so are the default and all aliases.
- **differs**: there is a parameter of that name, and what is different is said.
- **refused**: values other than the one given are an error, for the reason that is said.
- **no effect**: every value is accepted, because no result depends on it here.

## LightGBM
| parameter | here | |
|---|---|---|
`

// lightGBMNotes describes how parameters with LightGBM's names differ from LightGBM's. Different defaults
// are found by comparison with testdata/lightgbm_defaults.txt.
var lightGBMNotes = map[string]string{
	"bagging_by_query":         "Bags have whole queries by default.",
	"bagging_fraction":         "Each query (or row) is in the bag with this probability; LightGBM draws an exact number.",
	"boosting":                 "See [trees.md](trees.md) for details.",
	"categorical_feature":      "At most 65,535 bins a feature; others go right ([trees.md](trees.md#categorical-features)).",
	"config":                   "A configuration file cannot name another.",
	"data":                     "Also zstd, Parquet, folders of parts, and data that lambdamart bin stored; not LightGBM's binary files.",
	"drop_rate":                "At most 1.",
	"early_stopping_min_delta": "Called min_delta; one number.",
	"early_stopping_round":     "Called patience. One metric on one set decides (stop_metric, stop_set), unless first_metric_only=false.",
	"eval_at":                  "0 takes all ranks. By default ndcg is at LightGBM's 1 to 5, but map and mrr take all ranks.",
	"extra_trees":              "Any threshold of a feature can be drawn; LightGBM never draws the last one, and does not try a feature below a leaf where its threshold did not gain.",
	"feature_contri":           "Also NAME:NUMBER for some features; see [trees.md](trees.md).",
	"first_metric_only":        "With true, the first metric on the first set decides, not on any; stop_metric and stop_set choose others.",
	"group_column":             "Also query ids in LETOR text. Without it, a column named qid, query_id, query or srch_id has them; none turns this off.",
	"header":                   "auto detects a header.",
	"input_model":              "Also models of XGBoost, RankLib and others; .init files are added to its scores.",
	"lambdarank_norm":          "Also as two switches: lambdarank_score_gap_norm and lambdarank_log_norm.",
	"label_gain":               "exp2 is LightGBM's list without its end; also linear, or a list.",
	"max_bin":                  "At most 65,535.",
	"max_delta_step":           "Every feature is tried in every leaf; LightGBM tries no feature below a leaf where it does not gain, for example because values are at the limit.",
	"max_drop":                 "Below 1: no limit; LightGBM drops one tree with 0.",
	"min_gain_to_split":        "Every feature is tried in every leaf; LightGBM tries no feature below a leaf where it does not gain that much.",
	"metric":                   "Ranking metrics, with a convention (metric_convention); the default averages ties, and metric_convention=lightgbm is LightGBM's. auc is the mean over queries.",
	"num_threads":              "The model does not depend on it.",
	"objective":                "Objectives for ranking, and pointwise ones; see docs/parameters.md.",
	"output_result":            "Standard output if it is not given; LightGBM writes LightGBM_predict_result.txt.",
	"seed":                     "Decides all draws whose own seed is not given; LightGBM's seed sets the others to values derived from it.",
	"path_smooth":              "Leaf values are smoothed by the number of rows; LightGBM estimates it from Hessians.",
	"snapshot_freq":            "Writes checkpoints, from which training resumes to the same bytes, instead of models.",
	"task":                     "train, predict and refit; convert_model is the command export, save_binary the command bin.",
	"valid":                    "Several sets: valid_1, valid_2 and so on.",
	"verbosity":                "2 also names checkpoints.",
	"xgboost_dart_mode":        "Where trees are drawn by weight, by their true weights.",
	"predict_leaf_index":       "Standard output or output_result, with tabs.",
	"predict_contrib":          "Standard output or output_result, with tabs.",

	// Parameters with longer names.
	"max_bin_by_feature":          "At most 65,535. Also NAME:NUMBER for some features.",
	"interaction_constraints":     "Also by name: [bm25,age],[17].",
	"monotone_constraints":        "Also NAME:NUMBER for some features. Rows in which other features are missing keep the order, too; see [trees.md](trees.md).",
	"monotone_constraints_method": "advanced is refused: use intermediate, which is not significantly worse; see [trees.md](trees.md). intermediate also allows feature_fraction_bynode.",
}

// sameDefaults are parameters whose default is written differently here, but means the same as LightGBM's.
var sameDefaults = []string{
	"seed", // 0 in both; with it, LightGBM derives no other seed
	"verbosity", "eval_at", "label_gain", "header", "label_column", "group_column", "weight_column", "ignore_column",
	"bagging_seed", "feature_fraction_seed", "data_random_seed", "drop_seed", "objective_seed", "extra_seed",
}

// readPairs reads lines of a name, a space, and the rest.
func readPairs(t *testing.T, path string) (names []string, rest map[string]string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	rest = map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, more, _ := strings.Cut(strings.TrimSpace(line), " ")
		names, rest[name] = append(names, name), more
	}
	return names, rest
}

func fromLightGBM(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(fromLightGBMHeader)
	names, _ := readPairs(t, "testdata/lightgbm_aliases.txt")
	_, defaults := readPairs(t, "testdata/lightgbm_defaults.txt")
	table := allParameters()
	for _, name := range names {
		row := table.Find(name)
		require.NotNil(t, row, name)
		here, how := placeOf(row, name, defaults)
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, here, how)
	}
	b.WriteString(fromOthers(t, table))
	return b.String()
}

// placeOf returns this program's equivalent of a parameter of LightGBM, and a note.
func placeOf(row *param.Parameter, name string, defaults map[string]string) (here, how string) {
	switch {
	case row.Inert && row.Value.Range() == "":
		return "no effect", row.Help
	case row.Inert:
		only := row.Value.String()
		if only == "" {
			only = "empty"
		}
		return "refused, except " + only, row.Help
	}
	note := lightGBMNotes[name]
	if theirs, known := defaults[name]; known && !slices.Contains(sameDefaults, name) && !equalValues(row.Value.String(), theirs) {
		note = strings.TrimSpace(fmt.Sprintf("The default is %s, in LightGBM %s. %s", quoted(row.Value.String()), quoted(theirs), note))
	}
	if note == "" {
		return "same", ""
	}
	return "differs", note
}

func quoted(value string) string {
	if value == "" {
		return "empty"
	}
	return "`" + value + "`"
}

// equalValues reports whether two texts denote the same value, also as numbers or switches.
func equalValues(a, b string) bool {
	word := strings.NewReplacer("true", "1", "false", "0")
	a, b = word.Replace(a), word.Replace(b)
	x, errA := strconv.ParseFloat(a, 64)
	y, errB := strconv.ParseFloat(b, 64)
	return a == b || errA == nil && errB == nil && x == y
}

// foreign is a parameter of another ranking library.
type foreign struct{ theirs, ours, note string }

var xgboostParameters = []foreign{
	{"objective=rank:ndcg", "objective", "lambdarank; rank:ndcg is an alias"},
	{"objective=rank:pairwise, rank:map", "objective", "rank_pairwise, rank_map"},
	{"booster=gbtree, dart", "boosting", "gbdt, dart; gblinear is refused"},
	{"num_boost_round, n_estimators", "num_iterations", ""},
	{"eta, learning_rate", "learning_rate", "XGBoost's default is 0.3"},
	{"max_depth", "max_depth", "limits trees that grow leaf by leaf; XGBoost's default is 6 and its trees grow level by level"},
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
	{"lambdarank_pair_method=topk, lambdarank_num_pair_per_sample", "lambdarank_truncation_level", "the number of top ranks that pairs have one document in"},
	{"lambdarank_normalization", "lambdarank_log_norm", "the same with lambdarank_pair_method=topk; XGBoost's name is an alias"},
	{"lambdarank_score_normalization", "lambdarank_score_gap_norm", "XGBoost's name is an alias"},
	{"lambdarank_unbiased, lambdarank_bias_norm", "", "ratios of positions; use lambdarank_position_bias_regularization, which learns biases"},
	{"ndcg_exp_gain", "label_gain", "exp2 or linear"},
	{"eval_metric=ndcg@k, map@k", "metric", "metric_convention=xgboost-"},
	{"early_stopping_rounds", "patience", ""},
	{"xgb_model", "input_model", ""},
	{"base_margin", "data", "the companion .init"},
	{"seed", "seed", ""},
	{"nthread", "num_threads", ""},
	{"grow_policy=depthwise, lossguide", "grow_policy", "lossguide is leafwise, the default; where max_leaves ends a level, leaves that gain most come first"},
	{"tree_method, device", "", "how trees are grown; there is one way here, by histograms on processors"},
}

var catboostParameters = []foreign{
	{"loss_function=YetiRank, YetiRankPairwise", "objective", "yetirank; the pairwise form solves for leaf values in another way, and is not there"},
	{"loss_function=LambdaMart", "objective", "lambdarank"},
	{"loss_function=QueryRMSE", "objective", "query_rmse"},
	{"loss_function=PairLogit", "objective", "rank_pairwise"},
	{"iterations", "num_iterations", "CatBoost's default is 1000"},
	{"learning_rate", "learning_rate", "CatBoost chooses one by the data"},
	{"depth", "max_depth", "with num_leaves=64 for 6 levels, which is CatBoost's default"},
	{"grow_policy=SymmetricTree, Depthwise, Lossguide", "grow_policy", "symmetric, depthwise, leafwise; CatBoost's default is SymmetricTree"},
	{"score_function=L2", "grow_policy", "the sum of gains by which symmetric trees choose splits; Cosine, CatBoost's default, is not there"},
	{"l2_leaf_reg", "lambda_l2", "CatBoost's default is 3"},
	{"rsm", "feature_fraction", ""},
	{"subsample", "bagging_fraction", "with bagging_freq=1"},
	{"border_count", "max_bin", "CatBoost's default is 254"},
	{"min_data_in_leaf", "min_data_in_leaf", "CatBoost's default is 1"},
	{"custom_metric, eval_metric=NDCG:top=k", "metric", "metric_convention=catboost"},
	{"od_wait", "patience", ""},
	{"random_seed", "seed", ""},
	{"thread_count", "num_threads", ""},
	{"bootstrap_type, bagging_temperature, random_strength, mvs_reg", "", "Bayesian weights and noise on gains; use bagging_fraction"},
	{"cat_features", "categorical_feature", "sets of categories, in symmetric trees one for all leaves of a level; CatBoost's statistics of labels by category are not there"},
	{"one_hot_max_size", "max_cat_to_onehot", "counts one bin more, for rare and missing values"},
	{"boosting_type=Ordered", "", "gradients from models of earlier rows, against leaks of categorical statistics; there are none here"},
}

var ranklibOptions = []foreign{
	{"-ranker 6", "objective", "lambdarank, the default; 0 (MART) is regression, and 8 (random forests) is scored, not trained"},
	{"-train, -validate", "data", "and valid, whose first set decides"},
	{"-tree", "num_iterations", "RankLib's default is 1000"},
	{"-leaf", "num_leaves", "RankLib's default is 10"},
	{"-shrinkage", "learning_rate", ""},
	{"-tc", "max_bin", "RankLib's default is 256; at most 65535 in place of all values (-1)"},
	{"-mls", "min_data_in_leaf", "RankLib's default is 1"},
	{"-estop", "patience", "RankLib's default is 100"},
	{"-metric2t", "stop_metric", "metric_convention=ranklib has its values; its default is ERR@10"},
	{"-metric2T", "metric", ""},
	{"-gmax", "label_gain", "a grade may be as large as the list is long"},
	{"-kcv", "folds", "of lambdamart cv"},
	{"-norm zscore, linear", "query_context", "columns beside the features"},
	{"-bag, -srate, -frate", "bagging_fraction", "and feature_fraction; random forests are scored, not trained"},
	{"-load, -rank, -score", "input_model", "of lambdamart predict, which reads RankLib's models"},
}

// fromOthers returns the page's tables for XGBoost, CatBoost and RankLib.
func fromOthers(t *testing.T, table param.Table) string {
	t.Helper()
	var b strings.Builder
	for _, program := range []struct {
		name string
		all  []foreign
	}{{"XGBoost's parameters for ranking", xgboostParameters}, {"CatBoost's parameters for ranking", catboostParameters},
		{"RankLib's options", ranklibOptions}} {
		fmt.Fprintf(&b, "\n## %s\n| there | here | |\n|---|---|---|\n", program.name)
		for _, p := range program.all {
			ours := "none"
			if p.ours != "" {
				row := table.Find(p.ours)
				require.NotNil(t, row, p.ours)
				require.False(t, row.Inert, p.ours)
				ours = "`" + row.Name + "`"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", strings.ReplaceAll(p.theirs, ", ", "`, `"), ours, p.note)
		}
	}
	return b.String()
}

func TestDocsFromLightGBMAreCurrent(t *testing.T) {
	const path = "../../docs/from-lightgbm.md"
	text := fromLightGBM(t)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	current, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.True(t, string(current) == text, "run: go test ./cmd/lambdamart -run Docs -update")
}

// TestNotesAreAboutLightGBMsParameters: every note is about a parameter that LightGBM has.
func TestNotesAreAboutLightGBMsParameters(t *testing.T) {
	names, _ := readPairs(t, "testdata/lightgbm_aliases.txt")
	for name := range lightGBMNotes {
		assert.Contains(t, names, name)
	}
}
