package gone

const november26 = "2026-11-26"

var (
	all  = []string{} // not nil: every value is accepted
	none = []string{""}
	zero = []string{"0", "0.0"}
	one  = []string{"1", "1.0"}
	off  = []string{"false", "-", "0"}
)

// Texts that several things share.
const (
	writeCode = "to=c, to=go and to=java write code instead"
	notebook  = "docs/training-data.ipynb makes training data from logs instead, with pandas"
	estimates = "docs/machines.md has a table of memory, messages and time instead"
	goss      = "it was for data_sample_strategy=goss"
	costs     = "it made splits on costly features rarer"
	cheaper   = "leave it out: feature_contri below 1 makes splits on a feature rarer, and select finds " +
		"features that can be left out"
	anyRows = "leave it out: trees grow on rows sampled without bias (active_fraction), with a fifth of " +
		"its variance"
)

var things = []thing{
	// Training.
	{Value, "boosting=rf boosting=random_forest", "it trained a random forest", november26,
		"use gbdt with bagging_fraction, or num_models for a mean of models, which rank better; forests of other " +
			"programs are still scored", nil},
	{Value, "boosting=goss", "it favored rows with large gradients", november26, anyRows, nil},
	{Value, "query_context_features=auto", "it chose columns by cross-validation of the training data",
		november26, "leave it out: on 20 splits of four real sets all columns ranked as well or better; or name " +
			"features", nil},
	{Parameter, "data_sample_strategy", "its value goss favored rows with large gradients", november26, anyRows,
		[]string{"bagging"}},
	{Parameter, "top_rate", goss, november26, anyRows, all},
	{Parameter, "other_rate", goss, november26, anyRows, all},
	{Value, "monotone_constraints_method=advanced", "it bounded each side of a split by itself", november26,
		"use intermediate, which ranks as well", nil},
	{Parameter, "forcedsplits_filename fs forced_splits_filename forced_splits_file forced_splits",
		"it named the file of forced splits", november26,
		"leave it out: interaction_constraints and feature_contri steer which features trees split on", none},
	{Parameter, "forcedbins_filename", "it named the file of forced bins", november26,
		"leave it out: max_bin_by_feature gives a feature more bins", none},
	{Parameter, "cegb_tradeoff", "it weighed the cegb penalties", november26, cheaper, all},
	{Parameter, "cegb_penalty_split", costs, november26, cheaper, zero},
	{Parameter, "cegb_penalty_feature_lazy", costs, november26, cheaper, none},
	{Parameter, "cegb_penalty_feature_coupled", costs, november26, cheaper, none},
	{Parameter, "model_settings", "it gave each model of an ensemble its own settings", november26,
		"leave it out: model_objectives gives them their losses, and all else is the same for all", none},
	{Parameter, "lambdarank_unbiased", "it learned ratios of positions", november26,
		"use lambdarank_position_bias_regularization, which learns biases", off},
	{Parameter, "lambdarank_bias_norm", "it was for lambdarank_unbiased", november26,
		"use lambdarank_position_bias_regularization", one},
	{Parameter, "lambdarank_noise", "it ranked by scores with noise", november26,
		"use objective=yetirank, which does", zero},
	{Parameter, "lambdarank_noise_draws", "it was for lambdarank_noise", november26,
		"use objective=yetirank, with yetirank_permutations", one[:1]},
	{Parameter, "label2_column label2", "it named the column of a second label", november26,
		"use label_columns=LABEL,NAME and objective=lambdarank:1,lambdarank@NAME:0.2; a file of labels ends in " +
			".label.NAME",
		nil},
	{Parameter, "select_by", "it chose the importance by which select left features out", november26,
		"leave it out: select ranks by permutation", nil},
	{Parameter, "keep", "select always chose these features", november26,
		"leave it out: choose more features (num_features), and add yours to features.txt", nil},
	{Parameter, "step_share step", "it was the share of features that select left out at a time", november26,
		"leave it out: it is a fifth", nil},
	{Parameter, "tolerance", "it was a loss that select accepted", november26,
		"leave it out, or choose by steps.tsv and give num_features", nil},
	{Parameter, "holdout", "it named data that judged what select had chosen", november26,
		"write final_model=, and compare it with a model of all features on this data", nil},
	{Parameter, "feature_set", "select wrote the part of an engine's feature set that was needed", november26,
		"take the features that features.txt lists from it", nil},
	{Parameter, "time_budget", "tune began no training after so many seconds", november26,
		"use max_trainings, which gives the same trials everywhere; to go on, raise it and start tune again", nil},

	// Exports and files.
	{Value, "to=pmml", "export wrote PMML", november26, "to=java, to=onnx and to=lightgbm score the same", nil},
	{Value, "to=sql", "export wrote SQL", november26,
		"score in Python, or with the code of to=c, to=go or to=java", nil},
	{Value, "to=xgboost-ubj", "export wrote UBJSON", november26, "to=xgboost writes the same model as JSON",
		nil},
	{Parameter, "svg", "compare drew the differences of queries in a file of their own", november26,
		"report=FILE has them, and more", nil},
	{Parameter, "space", "it named a file with the parameters that tune searches", november26,
		"give its lines with search=, as in search=\"num_leaves=7..127 log\", one after the other or separated " +
			"by commas; in a file that config= names: search = num_leaves=7..127 log", nil},
	{Value, "to=vespa", "it was a target of its own", november26, "use to=lightgbm-json reader=vespa", nil},
	{Parameter, "dialect table_name", "it was for SQL, which export wrote", november26, writeCode, nil},
	{Parameter, "engine", "it named the version of a search engine", november26,
		"leave it out: exports are for the newest versions, which docs/models.md lists", nil},
	{File, PMML, "it looks like PMML, which export wrote", november26,
		"give the model that it was exported from", nil},
	{File, QuickRank, "it looks like XML of QuickRank, which was read", november26,
		"train with lambdamart on the same data", nil},
	{File, Shards, "a folder of shards, which several processes stored", november26,
		"make one file of the data with lambdamart bin in one process: each of several that train on it takes " +
			"its rows", nil},

	// Commands.
	{Command, "judgments", "it made training data from logs", november26, notebook, nil},
	{Command, "plan", "it estimated training on several machines", november26, estimates, nil},
	{Parameter, "gbit latency num_rows ranks", "it was of the command plan", november26, estimates, nil},
	{Parameter, "bias click_levels click_model click_prior clicks judged log_name min_impressions " +
		"missing_as_zero names_output unjudged", "it was of the command judgments", november26, notebook, nil},
	{Parameter, "sort_memory", "it bounded the memory of sorting rows by query", november26,
		"leave it out: rows are sorted in memory, of which each takes 40 bytes", nil},
	{File, YAML, "bench read YAML", november26,
		"write key = value lines, with rankers= and ranker_settings= in " +
			"place of the list of rankers (lambdamart help bench)", nil},
	{Parameter, "max_iterations", "it limited the trees and epochs of bench's training runs", november26,
		"give num_iterations= and epochs= on the command line, which replace those of all rankers", nil},
	{Parameter, "max_seconds", "it limited the time of bench's training runs", november26,
		"give num_iterations= and epochs= on the command line (tune: max_trainings=), whose results do not " +
			"depend on the machine", nil},
	{Value, "ranker_settings=NAME/VARIANT", "it was a variant of a ranker, of which validation chose one",
		november26,
		"give each a name of its own, as in slow=lambdamart: learning_rate=0.05; tune chooses parameters of trees",
		nil},
	{Parameter, "max_requests", "it limited the requests of serve in progress", november26,
		"max_connections limits them too: a connection has one at most", nil},
	{Parameter, "nan_as_zero", "it let serve take missing values for 0", november26,
		"serve refuses a missing value " +
			"where the model has no side for it: let clients send the value that the training data had instead, " +
			"often 0",
		nil},
	{Parameter, "require_names", "it made serve refuse requests without names", november26,
		"serve checks names if a request has them: let clients send feature_names", nil},
	{Parameter, "token_file", "it named the tokens that serve checked", november26,
		"let a proxy in front of it do so (docs/production.md)", nil},
	{Parameter, "tls_cert tls_key", "it made serve encrypt", november26,
		"let a proxy in front of it do so (docs/production.md)", nil},
}
