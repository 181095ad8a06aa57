package main

import (
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lambdamart/lambdamart/param"
)

func newRoot(messages *console) *cobra.Command {
	root := &cobra.Command{
		Use:   "lambdamart",
		Short: "LambdaMART: gradient-boosted trees for ranking",
		Long: `lambdamart trains gradient-boosted trees for ranking (LambdaMART) on LETOR files,
scores documents, judges rankings and shows what is in a model. Its models are
LightGBM model files.

With ranker=, train trains neural rankers too, and bench compares them with trees on
your data.

Parameters have LightGBM's names and aliases. They are written as key=value or as
flags (num_leaves=63 or --num-leaves 63), and may stand in a file that config=
names. Without a command, task= tells it, as in LightGBM's own command line:
lambdamart config=train.conf`,
		Example: `  lambdamart train data=train.txt valid=vali.txt output_model=model.txt num_leaves=63 patience=50
  lambdamart eval data=test.txt input_model=model.txt
  lambdamart predict data=test.txt input_model=model.txt output_result=scores.txt
  lambdamart model model.txt
  lambdamart bench data=folds rankers=lambdamart,ranknet,listnet`,
		SilenceErrors:              true,
		SilenceUsage:               true,
		SuggestionsMinimumDistance: 2,
	}
	root.AddCommand(newTrain(messages), newBin(messages), newPredict(messages), newEval(messages), newCompare(messages), newBench(messages), newModel(messages), newExport(messages), newCheckExport(messages), newVersion())
	root.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(root, args[0])
		}
		return nil
	}
	root.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	return root
}

func unknownCommand(root *cobra.Command, name string) error {
	if near := root.SuggestionsFor(name); len(near) > 0 {
		return usagef("unknown command %q; did you mean %s?", name, strings.Join(near, " or "))
	}
	return usagef("unknown command %q; lambdamart help lists the commands", name)
}

// withTask puts the command's name before a command line that consists of
// key=value arguments alone, as LightGBM's. The parameter task names it.
func withTask(args []string) ([]string, error) {
	given, err := param.ParseArgs(args)
	if err != nil || len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return args, nil
	}
	table := newOptions().commandTable()
	task := valueOf(table, given, "task")
	if path := valueOf(table, given, "config"); task == "" && path != "" {
		config, err := readConfig(path)
		if err != nil {
			return nil, err
		}
		task = valueOf(table, config, "task")
	}
	command, err := commandOf(task)
	return append([]string{command}, args...), err
}

// valueOf returns the last value that settings give to a parameter, "" if none
// does.
func valueOf(table param.Table, settings []param.Setting, name string) string {
	value := ""
	for _, s := range settings {
		if p := table.Find(s.Name); p != nil && p.Name == name {
			value = s.Value
		}
	}
	return value
}

// commandOf returns the command that does one of LightGBM's tasks.
func commandOf(task string) (string, error) {
	switch task {
	case "", "train", "training":
		return "train", nil
	case "predict", "prediction", "test":
		return "predict", nil
	}
	return "", usagef("task=%s is not available; there are train and predict", task)
}

func readConfig(path string) ([]param.Setting, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &usageError{errors.New("config: " + err.Error())}
	}
	defer f.Close()
	settings, err := param.ReadConfig(f, path)
	if err != nil {
		return nil, &usageError{err}
	}
	return settings, nil
}
