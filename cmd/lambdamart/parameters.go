package main

import (
	"slices"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/experiment"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/param"
)

// options are the values of all parameters of all commands.
type options struct {
	task   string
	config string

	data         string
	valid        []string
	inputModel   string
	outputModel  string
	scores       string
	outputResult string
	output       string
	reference    string
	layout       data.Layout // of data

	format         string
	runTag         string
	firstIteration int
	numIterations  int
	leafIndex      bool
	contributions  bool

	judging judging // of eval and compare

	rankers       []string // of bench, as the following
	seeds         int
	maxIterations int
	maxSeconds    float64
	bench         *experiment.File   // that was read
	layers        [2][]param.Setting // as the user wrote them: in the file, on the command line

	export exportOptions // of export and check-export

	top       int
	profile   bool
	logJSON   bool
	verbosity int

	ranker  string         // what is trained: trees, or a network's loss
	train   booster.Params // of trees
	network nnbaseline.Params

	given []string // proper names of the parameters that the user gave a value
}

func newOptions() *options {
	return &options{
		task:          "train",
		outputModel:   "model.txt",
		outputResult:  "-",
		format:        formatScores,
		layout:        data.DefaultLayout(),
		runTag:        "lambdamart",
		numIterations: -1,
		judging:       defaultJudging(),
		seeds:         3,
		top:           20,
		verbosity:     1,
		ranker:        experiment.KindLambdaMART,
		train:         booster.DefaultParams(),
		network:       nnbaseline.DefaultParams(),
	}
}

// Formats of the predict command.
const (
	formatScores = "scores"
	formatTREC   = "trec"
)

// Headings of the commands' own parameters.
const (
	groupFiles   = "Files"
	groupScoring = "Scoring"
	groupBench   = "Bench"
	groupOutput  = "Messages"
)

// commandTable returns the parameters that do not belong to training.
func (o *options) commandTable() param.Table {
	table := param.Table{
		{Name: "task", Aliases: []string{"task_type"}, Group: groupFiles,
			Help:  "The command, where none is named.",
			Value: param.Choice(&o.task, "train", "training", "predict", "prediction", "test")},
		{Name: "config", Aliases: []string{"config_file"}, Group: groupFiles,
			Help:  "File of key = value lines, as LightGBM's train.conf. The command line wins over it.",
			Value: param.Text(&o.config)},
		{Name: "data", Aliases: []string{"train", "train_data", "train_data_file", "data_filename"}, Group: groupFiles,
			Help:  "Data in the LETOR (SVMlight) form, plain, gzip or zstd, or, for train, binned by lambdamart bin; - is standard input.",
			Value: param.Text(&o.data)},
		{Name: "ranker", Group: groupFiles,
			Help:  "What train trains: boosted trees (lambdamart), or a network whose loss is pairs of documents (ranknet), pairs weighted by the change of nDCG (lambdarank-mlp), the top-one softmax by cross entropy or divergence (listnet, listnet-kl), the likelihood of the ideal order (listmle), or squared errors of grades (mse).",
			Value: param.Choice(&o.ranker, experiment.Kinds()...)},
		{Name: "valid", Aliases: []string{"test", "valid_data", "valid_data_file", "test_data", "test_data_file", "valid_filenames"}, Group: groupFiles,
			Help:  "Validation sets: valid_1, valid_2, ... Commas between, or given several times.",
			Value: param.Texts(&o.valid), Repeat: true},
		{Name: "input_model", Aliases: []string{"model_input", "model_in"}, Group: groupFiles,
			Help:  "Model to read: of LightGBM, XGBoost, RankLib, QuickRank, one that was exported, or a network of ours.",
			Value: param.Text(&o.inputModel)},
		{Name: "output_model", Aliases: []string{"model_output", "model_out"}, Group: groupFiles,
			Help:  "Model to write: of trees in LightGBM's text form; of a network in a form of its own, model.nn if it is not named.",
			Value: param.Text(&o.outputModel)},
		{Name: "scores", Aliases: []string{"input_scores"}, Group: groupFiles,
			Help:  "File of scores to judge instead of a model's, one a line in the order of the data.",
			Value: param.Text(&o.scores)},
		{Name: "output_result", Aliases: []string{"predict_result", "prediction_result", "predict_name", "prediction_name", "pred_name", "name_pred"}, Group: groupFiles,
			Help:  "Where scores go; - is standard output.",
			Value: param.Text(&o.outputResult)},
		{Name: "output", Group: groupFiles,
			Help:  "bin: binned data to write; the name of data with .bin behind, if it is not given. bench: folder of the results. export: the exported model; standard output, if it is not given.",
			Value: param.Text(&o.output)},
		{Name: "reference", Group: groupFiles,
			Help:  "Binned data whose bins the new file gets.",
			Value: param.Text(&o.reference)},
	}
	table = slices.Concat(table, o.layout.Table(), param.Table{
		{Name: "format", Group: groupScoring,
			Help:  "scores: one a line in the order of the data. trec: run lines (qid Q0 docid rank score tag), each query's by rank.",
			Value: param.Choice(&o.format, formatScores, formatTREC)},
		{Name: "run_tag", Group: groupScoring,
			Help:  "Last word of each TREC run line.",
			Value: param.Text(&o.runTag)},
		{Name: "start_iteration_predict", Group: groupScoring,
			Help:  "First tree that is used, from 0.",
			Value: param.Int(&o.firstIteration, param.AtLeast(0))},
		{Name: "num_iteration_predict", Group: groupScoring,
			Help:  "Number of trees that are used; all if below 1.",
			Value: param.Int(&o.numIterations)},
		{Name: "predict_leaf_index", Aliases: []string{"is_predict_leaf_index", "leaf_index"}, Group: groupScoring,
			Help:  "The leaf of each tree instead of the score, with tabs between.",
			Value: param.Bool(&o.leafIndex)},
		{Name: "predict_contrib", Aliases: []string{"is_predict_contrib", "contrib"}, Group: groupScoring,
			Help:  "What each feature adds to the score, and the mean score, instead of the score, with tabs between.",
			Value: param.Bool(&o.contributions)},
		{Name: "top", Group: groupOutput,
			Help:  "Features to list; all if 0.",
			Value: param.Int(&o.top, param.AtLeast(0))},
		{Name: "profile", Group: groupOutput,
			Help:  "Tell after training where the time went, by phase.",
			Value: param.Bool(&o.profile)},
		{Name: "log_json", Group: groupOutput,
			Help:  "Messages as JSON, one object a line.",
			Value: param.Bool(&o.logJSON)},
		{Name: "verbosity", Aliases: []string{"verbose"}, Group: groupOutput,
			Help:  "Below 0: errors only; 0: warnings too; 1: everything.",
			Value: param.Int(&o.verbosity)},
	})
	return slices.Concat(table, o.benchOwnTable(), o.judging.table(), o.export.table())
}

// benchOwnTable returns the parameters that only bench has.
func (o *options) benchOwnTable() param.Table {
	return param.Table{
		{Name: "rankers", Group: groupBench,
			Help:  "Rankers to compare, by their kinds or by their names in the file.",
			Value: param.Texts(&o.rankers), Repeat: true},
		{Name: "seeds", Group: groupBench,
			Help:  "Trainings of each ranker on each fold: with the seeds 1, 2, ... up to this.",
			Value: param.Int(&o.seeds, param.AtLeast(1))},
		{Name: "max_iterations", Group: groupBench,
			Help:  "Most trees or epochs of each training; 0 leaves it to the parameters of the ranker.",
			Value: param.Int(&o.maxIterations, param.AtLeast(0))},
		{Name: "max_seconds", Group: groupBench,
			Help:  "Most seconds of each training, which ends with the iteration at hand; 0 is no limit.",
			Value: param.Float(&o.maxSeconds, param.AtLeast(0))},
	}
}

// tableFor returns the parameters of a command: first those with the given
// names, which it uses, then all others, which it accepts without effect so that
// commands can share a configuration file.
func (o *options) tableFor(names ...string) param.Table {
	all := append(o.commandTable(), o.trainingTable()...)
	var used, others param.Table
	for _, p := range all {
		if slices.Contains(names, p.Name) {
			used = append(used, p)
			continue
		}
		p.Value, p.Inert, p.Group, p.Help = param.Ignored(), true, groupInert, "For another command."
		others = append(others, p)
	}
	return append(append(used, others...), lightgbmTable()...)
}
