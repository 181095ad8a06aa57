package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/experiment"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/param"
)

// benchParameters are those that bench uses itself; the others go to rankers.
var benchParameters = []string{"config", "data", "output", "rankers", "seeds", "max_iterations", "max_seconds", "metric", "eval_at", "metric_convention", "label_gain",
	"interval", "resamples", "trials", "test_seed", "feature_base", "data_format", "header", "label_column", "group_column", "weight_column", "ignore_column", "num_threads", "log_json", "verbosity"}

func newBench(messages *console) *cobra.Command {
	o := newOptions()
	o.train.Metric, o.train.EvalAt = []string{"ndcg@10"}, []int{1, 3, 5, 10, 20}
	o.judging.interval = 0.95
	cmd := &cobra.Command{
		Use:   "bench [FILE.yaml] [data=FOLDER rankers=NAME,NAME] [key=value]...",
		Short: "Compare rankers on your data: train each with several seeds, test, report",
		Long: `Compare rankers on the same data, by the same metric: each is trained with several
seeds on each fold, validation chooses the iteration and, among variants of a ranker, the
variant; test queries judge. data= is a folder with the files train, vali and test, or one with
folders Fold1, Fold2, ... of them. Rankers are ` + strings.Join(experiment.Kinds(), ", ") + `.

Printed is a table: the mean with its interval over queries, the standard deviation over seeds, the
difference to the best ranker with the probability that it is chance, seconds to train,
microseconds to score a document, and the size of the model. The folder output= gets
report.html with figures, results.tsv, queries.tsv, and a file for each training.

A file in YAML may hold all of that, with rankers that have parameters of their own:

  data: mq2008
  seeds: 5
  max_seconds: 600
  rankers:
    - lambdamart
    - {name: small, ranker: ranknet, parameters: {hidden_layers: [64, 32], epochs: 50}}
    - name: tuned
      ranker: lambdamart
      variants:
        slow: {learning_rate: 0.05}
        fast: {learning_rate: 0.2}

The command line wins over the file. Any parameter of training goes to all rankers that
have it. A run that was stopped goes on where it stopped: start it again.`,
		Example: `  lambdamart bench data=mq2008 rankers=lambdamart,ranknet,listnet seeds=5 output=mq2008-bench
  lambdamart bench rankers.yaml
  lambdamart bench rankers.yaml max_iterations=10 seeds=1 output=quick`,
	}
	t := o.benchTable()
	withParameters(cmd, o, t, messages, func(ctx context.Context) error {
		return interruptedOr(ctx, o.runBench(ctx, t, cmd.OutOrStdout(), messages))
	})
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		for i, arg := range args {
			if !strings.Contains(arg, "=") {
				args[i] = "config=" + arg
			}
		}
		return run(cmd, args)
	}
	return cmd
}

// benchTable has the bench's own parameters and all of training.
func (o *options) benchTable() param.Table {
	t := o.tableFor(append(slices.Clone(benchParameters), o.trainingNames()[1:]...)...)
	for name, help := range map[string]string{
		"config":  "The experiment, a YAML file.",
		"data":    "Folder with train, vali and test, or with folders Fold1, Fold2, ... of them.",
		"output":  "Folder of the results; the name of data with -bench behind, if it is not given.",
		"metric":  "The one metric that decides on validation queries, and by which rankers are compared.",
		"eval_at": "Cut-offs at which nDCG is judged too.",
	} {
		t.Find(name).Help = help
	}
	return t
}

func (o *options) runBench(ctx context.Context, t param.Table, stdout io.Writer, messages *console) error {
	e, err := o.newExperiment(t, messages)
	if err != nil {
		return err
	}
	summary, err := e.Run(ctx)
	messages.endProgress()
	if err != nil {
		return o.howToGoOn(ctx, err, messages)
	}
	if len(summary.Rankers) == 0 {
		return errors.New("no ranker could be trained on all folds with all seeds")
	}
	paths, err := summary.Write(o.output, programIdentity())
	if err != nil {
		return err
	}
	if err := summary.Table(stdout); err != nil {
		return err
	}
	messages.emit(benchWroteEvent{paths})
	for _, f := range summary.Folds {
		if f.Leaked > 0 {
			messages.emit(warningEvent{Message: fmt.Sprintf("%s: %s of %s test queries have the ids of training queries: if they are the same, the results flatter",
				f.Name, thousands(f.Leaked), thousands(f.Queries))})
		}
	}
	if n := len(summary.Failed); n > 0 {
		return fmt.Errorf("%d trainings failed; their rankers are left out", n)
	}
	return nil
}

func (o *options) howToGoOn(ctx context.Context, err error, messages *console) error {
	if ctx.Err() != nil {
		messages.emit(noteEvent{Message: "finished trainings are kept in " + o.output + "; the same command goes on from there"})
	}
	return err
}

// newExperiment makes the experiment that the settings ask for.
func (o *options) newExperiment(t param.Table, messages *console) (*experiment.Experiment, error) {
	if err := o.checkBench(); err != nil {
		return nil, err
	}
	rankers, err := o.rankersOf(t)
	if err != nil {
		return nil, &usageError{err}
	}
	program, err := programKey()
	if err != nil {
		return nil, err
	}
	e, err := experiment.New(experiment.Options{
		Data: o.data, Output: o.output, Seeds: o.seeds, MaxIterations: o.maxIterations, MaxSeconds: o.maxSeconds,
		Metric: o.train.Metric[0], Cutoffs: o.train.EvalAt, Convention: o.train.MetricConvention, Gain: o.train.LabelGain,
		Tests: o.tests(), Threads: o.train.NumThreads, Program: program, Reading: readingKey(o.layout),
		Open:  o.benchOpener(messages),
		Hooks: (&benchProgress{messages: messages, metric: o.train.Metric[0]}).hooks(),
	}, rankers)
	if err != nil {
		return nil, &usageError{err}
	}
	return e, nil
}

// readingKey says how data is read, for the key of a training. Its words must not change, or
// trainings that were kept are done again.
func readingKey(l data.Layout) string {
	return fmt.Sprintf("feature_base=%d {format:%s header:%s label:%s query:%s weight:%s ignore:%s}", l.FeatureBase, l.Format, l.Header, l.Label, l.Query, l.Weight, l.Ignore)
}

// benchOpener opens data in any form that train takes.
func (o *options) benchOpener(messages *console) experiment.OpenFunc {
	return func(path string, like *dataset.Meta) (experiment.Source, error) {
		return o.reading().open(path, data.Options{Features: likeTraining(like)}, messages)
	}
}

// checkBench finds what is wrong before anything is read.
func (o *options) checkBench() error {
	if o.data == "" {
		return usagef("data is missing: give data=FOLDER")
	}
	if len(o.train.Metric) != 1 {
		return usagef("metric=%s: one metric decides; eval_at= names cut-offs at which nDCG is judged too", strings.Join(o.train.Metric, ","))
	}
	if o.output == "" {
		absolute, err := filepath.Abs(o.data)
		if err != nil {
			return err
		}
		o.output = filepath.Base(absolute) + "-bench"
	}
	return nil
}

// rankersOf returns the rankers of the file, or those that are named, with their
// parameters.
func (o *options) rankersOf(t param.Table) ([]experiment.Ranker, error) {
	var entries []experiment.Entry
	if o.bench != nil {
		entries = o.bench.Rankers
	}
	if len(o.rankers) > 0 {
		entries = entriesNamed(o.rankers, entries)
	}
	general, override := o.forRankers(t, o.layers[0]), o.forRankers(t, o.layers[1])
	return experiment.NewRankers(entries, general, override)
}

// entriesNamed returns the entries of those names; a name that no entry has is a kind.
func entriesNamed(names []string, entries []experiment.Entry) (named []experiment.Entry) {
	for _, name := range names {
		i := slices.IndexFunc(entries, func(e experiment.Entry) bool { return e.Name == name })
		if i >= 0 {
			named = append(named, entries[i])
		} else {
			named = append(named, experiment.Entry{Name: name, Kind: name})
		}
	}
	return named
}

// forRankers returns the settings that are not the bench's own, by their proper names.
func (o *options) forRankers(t param.Table, layer []param.Setting) (list []param.Setting) {
	for _, s := range layer {
		if p := t.Find(s.Name); p != nil && !p.Inert && !slices.Contains(benchParameters, p.Name) {
			list = append(list, param.Setting{Name: p.Name, Value: s.Value, Place: s.Place})
		}
	}
	return list
}

// programIdentity names the program for people.
func programIdentity() string { return "lambdamart " + version() + ", commit " + commit() }

// programKey names the program so that no other has its name: builds that do not
// come from a commit as it is are told apart by their bytes.
func programKey() (string, error) {
	identity := programIdentity()
	if c := commit(); c != "unknown" && !strings.Contains(c, " ") {
		return identity, nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s, %x", identity, hash.Sum(nil)), nil
}
