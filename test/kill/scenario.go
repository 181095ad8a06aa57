//go:build unix

package main

import "path"

// scenario is a command line to be killed. It runs in a folder beside the folder "in" of inputs.
type scenario struct {
	name string
	args []string
	goOn []string // arguments that are appended to the command line for the run after a kill

	short []string // outputs that have fewer rounds if SIGINT, SIGTERM or SIGHUP ends the training run
	later []string // patterns of files from which a later run continues: it removes or completes them
	timed bool     // standard output contains times
	steps bool     // complete files appear one after the other: none of them existed before
}

// scenarios lists the commands. Every command that writes files must be in the list.
func scenarios() []scenario {
	checkpoints := []string{"m.checkpoint"}
	train := []string{
		"train", "data=../in/train.txt.gz", "valid=../in/vali.txt.gz", "output_model=m", "snapshot_freq=1",
	}
	members := []string{"m.checkpoint*", "m.model*", "m.*.checkpoint*"}
	with := func(args []string, more ...string) []string { return append(append([]string{}, args...), more...) }
	return []scenario{
		{name: "train",
			args: with(train, "num_iterations=150", "bagging_fraction=0.7", "bagging_freq=2", "patience=140"),
			goOn: []string{"resume=auto"}, short: []string{"m"}, later: checkpoints},
		{name: "train sparse",
			args: with(train, "num_iterations=150", "active_fraction=0.3", "feature_fraction=0.5"),
			goOn: []string{"resume=auto"}, short: []string{"m"}, later: checkpoints},
		{name: "train dart", args: with(train, "boosting=dart", "num_iterations=60"),
			goOn: []string{"resume=auto"}, short: []string{"m"}, later: checkpoints},
		{name: "train ensemble", args: with(train, "num_models=3", "feature_fraction=0.8", "num_iterations=40"),
			goOn: []string{"resume=auto"}, short: []string{"m"}, later: members},
		{name: "train with a preset", args: with(train, "preset=auto", "num_iterations=30"),
			goOn: []string{"resume=auto"}, short: []string{"m"}, later: members},
		{name: "train on sparse columns",
			args: []string{"train", "data=../in/wide.txt", "output_model=m", "snapshot_freq=1", "num_iterations=100",
				"min_data_in_leaf=5"},
			goOn: []string{"resume=auto"}, short: []string{"m"}, later: checkpoints},
		{name: "train network",
			args: with(train, "ranker=ranknet", "hidden_layers=32,16", "epochs=25", "patience=24"),
			goOn: []string{"resume=auto"}, short: []string{"m"}, later: checkpoints},
		{name: "train on", args: with(train, "input_model=../in/model.txt", "num_iterations=60"),
			goOn: []string{"resume=auto"}, short: []string{"m"}, later: checkpoints},
		{name: "refit",
			args: []string{"refit", "data=../in/rows.txt", "input_model=../in/model.txt", "output_model=m"}},
		{name: "model", args: []string{"model", "../in/model.txt", "shuffle_trees=true",
			"shuffle_seed=3", "output=m"}},
		{name: "bin", args: []string{"bin", "data=../in/rows.txt", "output=rows.bin"}},
		{name: "bin sparse columns", args: []string{"bin", "data=../in/wide.txt", "output=wide.bin"}},
		{name: "predict",
			args: []string{"predict", "data=../in/rows.txt", "input_model=../in/model.txt",
				"output_result=scores.txt"}},
		{name: "predict contributions",
			args: []string{"predict", "data=../in/vali.txt.gz", "input_model=../in/model.txt",
				"predict_contrib=true", "output_result=parts.tsv"}},
		{name: "predict from a pipe",
			args: []string{"predict", "data=-", "input_model=../in/model.txt", "output_result=scores.txt"}},
		{name: "eval with a sort",
			args: []string{"eval", "data=../in/ranked.csv", "per_query=queries.csv"}},
		{name: "compare",
			args: []string{"compare", "../in/model.txt", "../in/scores.txt", "data=../in/vali.txt.gz",
				"metric=ndcg@5", "report=page.html"}},
		{name: "export onnx",
			args: []string{"export", "../in/model.txt", "to=onnx", "output=m.onnx", "vectors=500"}},
		{name: "export c", args: []string{"export", "../in/model.txt", "to=c", "output=m.c", "vectors=500"}},
		{name: "explain",
			args: []string{"explain", "data=../in/vali.txt.gz", "input_model=../in/model.txt", "report=why.html"}},
		{name: "transform",
			args: []string{"transform", "data=../in/train.txt.gz", "output=wide.txt", "query_context=rank,zscore",
				"query_context_features=1-20"}},
		{name: "tune",
			args: []string{"tune", "data=../in/train.txt.gz", "valid=../in/vali.txt.gz", "output=out",
				"max_trainings=8", "num_iterations=24", "final_model=final.txt"},
			later: []string{"out/trials/*.json", "out/trials/*.checkpoint"}, timed: true, steps: true},
		{name: "select",
			args: []string{"select", "data=../in/train.txt.gz", "valid=../in/vali.txt.gz", "output=out",
				"num_features=20", "num_iterations=16", "final_model=final.txt"},
			later: []string{"out/steps/*.json"}, timed: true, steps: true},
		{name: "bench",
			args: []string{"bench", "data=../in/folds", "output=out", "rankers=lambdamart,ranknet", "seeds=2",
				"num_iterations=8", "epochs=8", "resamples=200", "trials=2000"},
			timed: true, steps: true},
		{name: "cv",
			args: []string{"cv", "data=../in/train.txt.gz", "output=out", "folds=4", "num_iterations=25",
				"final_model=final.txt", "average_model=average.txt"},
			later: []string{"out/folds/*.checkpoint"}, timed: true, steps: true},
	}
}

// isLater reports whether a later run continues from the file.
func (s *scenario) isLater(name string) bool {
	for _, pattern := range s.later {
		if ok, _ := path.Match(pattern, name); ok {
			return true
		}
	}
	return false
}
