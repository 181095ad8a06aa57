// Package selecting is the command select, whose name is a word of Go.
package selecting

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/folding"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/version"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/study"
	"github.com/lambdamart/lambdamart/study/selection"
)

// Command returns the entry of the command.
func Command() cli.Command {
	return cli.Command{
		Name:  "select",
		Use:   "select data=FILE [valid=FILE] [num_features=N] [key=value]...",
		Short: "Find the features that a ranker of boosted trees needs",
		Long: `Find the features that a ranker of boosted trees needs, by backward elimination: train,
measure the importance of each feature on validation queries, leave the least important out,
and train again. A set is judged by the stop metric on valid=, or else on folds of the data. A
step that makes it worse is undone and tried with fewer features.

The smallest set that is as good as the best one is chosen: at most one standard error of the
paired differences below it, or at most tolerance=. With num_features=, it has this many features.
The validation queries chose the set, so that its value on them is too high: holdout= names data
that judges it afterwards.

It prints the steps, and the importance of the chosen features with intervals. The folder
output= gets features.txt with their names, steps.tsv, features.tsv and result.json; and
feature_set.json, the part of feature_set= that is needed: the features of a search engine.
To continue a run that was stopped, start it again.`,
		Example: `  lambdamart select data=train.txt valid=vali.txt holdout=test.txt stop_metric=ndcg@10
  lambdamart select data=train.csv folds=5 num_features=20 keep=bm25,price final_model=model.txt
  lambdamart select data=train.txt valid=vali.txt feature_set=set.json report=features.html`,
		Refused: map[string]string{"input_model": "every set of features is trained from the beginning; leave it out"},
		Main: []string{
			"config", "data", "valid", "holdout", "output", "label_column", "group_column", "folds",
			"num_features", "keep", "select_by", "step_share", "tolerance", "max_trainings", "final_model",
			"report", "objective", "num_iterations", "learning_rate", "num_leaves", "patience",
			"stop_metric", "seed", "num_threads",
		},
		New: func() cli.Task { return Default() },
	}
}

// Params are the parameters of select.
type Params struct {
	Data       string
	Valid      []string
	Holdout    string
	Layout     data.Layout
	Output     string // folder
	Folding    folding.Params
	FinalModel string
	FeatureSet string
	Report     string
	JSON       bool
	Options    selection.Options
	Trees      booster.Params
}

// Default returns the default values. Trainings have enough iterations for early stopping to end them.
func Default() *Params {
	p := &Params{Layout: data.DefaultLayout(), Folding: folding.Default(5), Options: selection.DefaultOptions(), Trees: booster.DefaultParams()}
	p.Trees.NumIterations, p.Trees.Patience = 1000, 50
	return p
}

// Table implements [cli.Task].
func (p *Params) Table() param.Table {
	o := &p.Options
	output := cli.Output(&p.Output)
	output.Help = "Folder of the results; without it, the name of data with -select at its end."
	valid := cli.Valid(&p.Valid)
	valid.Help = "Validation set by which sets of features are judged; folds of the data, if it is not given."
	return slices.Concat(
		param.Table{cli.Data(&p.Data), valid,
			{Name: "holdout", Group: cli.GroupFiles, File: param.Read,
				Help:  "select: data whose queries judge the chosen features at the end, beside all features; they have no influence on the choice.",
				Value: param.Text(&p.Holdout)},
			output},
		p.Layout.Table(),
		p.Folding.Table(),
		param.Table{
			folding.FinalModel(&p.FinalModel),
			cli.FeatureSet(&p.FeatureSet),
			cli.Report(&p.Report),
			cli.JSON(&p.JSON),
			{Name: "num_features", Aliases: []string{"num_features_to_select", "n_features_to_select"}, Group: folding.Group,
				Help:  "select: number of features to choose; 0: the smallest set that is as good as the best one.",
				Value: param.Int(&o.Number, param.AtLeast(0))},
			{Name: "keep", Group: folding.Group,
				Help:  "select: features that are always chosen, by name or number, separated by commas or given several times.",
				Value: param.Texts(&o.Required), Repeat: true},
			{Name: "select_by", Group: folding.Group,
				Help:  "select: the importance by which features are left out. permutation: what nDCG loses on validation queries if the feature's values are permuted. shap: the mean size of its share of their scores. gain: the gain of its splits in training.",
				Value: param.Choice(&o.By, selection.Permutation, selection.Contribution, selection.Gain)},
			{Name: "step_share", Aliases: []string{"step"}, Group: folding.Group,
				Help:  "select: share of the features that a step leaves out, at least one. Smaller steps take longer and err less often.",
				Value: param.Float(&o.Share, param.Above(0), param.AtMost(0.9))},
			{Name: "tolerance", Group: folding.Group,
				Help:  "select: loss of the mean metric that is accepted for fewer features although it is more than one standard error.",
				Value: param.Float(&o.Tolerance, param.AtLeast(0))},
			folding.MaxTrainings(&o.Trainings),
			cli.SampleQueries(&o.Queries),
			cli.Permutations(&o.Repeats),
			cli.TestSeed(&o.Seed),
		},
		p.Trees.Table(),
	)
}

// Run implements [cli.Task].
func (p *Params) Run(ctx context.Context, env *cli.Env) error {
	err := p.run(ctx, env)
	return folding.Interrupted(ctx, err, "finished steps are kept", p.Output, env.Messages)
}

func (p *Params) run(ctx context.Context, env *cli.Env) error {
	if err := p.check(env); err != nil {
		return err
	}
	d, folds, err := p.load(ctx, env)
	if err != nil {
		return err
	}
	defer d.Close()
	names, err := p.engineNames(d.Training.Meta.Features)
	if err != nil {
		return err
	}
	result, err := p.choose(ctx, d, folds, env.Messages)
	if err != nil {
		return err
	}
	for _, warning := range result.Warnings {
		env.Messages.Warn(warning)
	}
	if err := p.write(result, names, env.Messages); err != nil {
		return err
	}
	if p.JSON {
		err = result.JSON(env.Stdout)
	} else {
		err = result.Table(env.Stdout)
	}
	if err != nil || p.FinalModel == "" {
		return err
	}
	return folding.TrainFinal(ctx, result.Params(), d.Narrow(result.Has), p.FinalModel, env.Messages)
}

// check returns an error for parameters that cannot be right, before anything is read. It names the output if
// the user did not.
func (p *Params) check(env *cli.Env) error {
	if err := cli.CheckPaths("", cli.Input{Parameter: "data", Path: p.Data}); err != nil {
		return err
	}
	if p.Report == "-" {
		return cli.Usagef("report=-: name a file of its own for the page")
	}
	if err := folding.CheckBeside(p.Output, p.FinalModel, p.Report); err != nil {
		return err
	}
	for _, check := range []func() error{p.Trees.Validate, func() error { return selection.Check(&p.Trees) }, p.Options.Check} {
		if err := check(); err != nil {
			return &cli.UsageError{Err: err}
		}
	}
	if err := p.Folding.Check(env); err != nil {
		return err
	}
	if err := p.Folding.CheckSource(env, p.Valid); err != nil {
		return err
	}
	if p.Trees.StopRule() == "" {
		return cli.Usagef("no metric decides: name one, as in stop_metric=ndcg@10")
	}
	if err := folding.NameOutput(&p.Output, p.Data, "-select"); err != nil {
		return err
	}
	for _, caution := range p.Trees.Cautions() {
		env.Messages.Warn(caution)
	}
	folding.WarnOfUnused(env, map[string]string{
		"metric_freq": "every iteration is judged", "stop_set": "one rule judges all sets of features",
		"is_provide_training_metric": "training queries are not judged",
	})
	return nil
}

// load reads the data, and the folds if there is no validation set. The holdout is the last of the validation
// sets.
func (p *Params) load(ctx context.Context, env *cli.Env) (d *data.Loaded, folds study.Folds, err error) {
	paths := p.Valid
	if p.Holdout != "" {
		paths = append(slices.Clone(paths), p.Holdout)
	}
	if d, err = p.Folding.Load(ctx, env, &p.Trees, p.Layout, p.Data, paths...); err != nil {
		return nil, folds, err
	}
	if err = p.divide(d, env.Messages); err == nil {
		err = selection.Check(&p.Trees) // stored bins bring parameters of theirs
	}
	if err == nil && len(p.Valid) == 0 {
		folds, err = p.Folding.Folds(ctx, d.Training, p.Layout, p.Trees.NumThreads)
	}
	if err != nil {
		d.Close()
		return nil, folds, err
	}
	folding.RemarkOnRows(&p.Trees, d.Training.Meta, folds, env.Messages)
	return d, folds, nil
}

// divide checks the sets, and takes the holdout from those that choose.
func (p *Params) divide(d *data.Loaded, messages *cli.Console) error {
	if p.Holdout != "" {
		last := len(d.Validation) - 1
		held := d.Validation[last]
		d.Validation = d.Validation[:last]
		if err := folding.CheckOverlap("holdout", d.Training, held, messages); err != nil {
			return err
		}
		if last > 0 {
			if o := study.FindOverlap(folding.TreeData(d.Validation[0]), folding.TreeData(held)); o.Same > 0 {
				return fmt.Errorf("holdout=%s: %d of %d queries are validation queries, with the same ids, labels and features, which choose the features; leave them out", p.Holdout, o.Same, o.Queries)
			}
		}
		test := folding.TreeData(held)
		test.Name = p.Holdout
		p.Options.Test = &test
	}
	if len(d.Validation) == 0 {
		return nil
	}
	return folding.CheckOverlap("valid", d.Training, d.Validation[0], messages)
}

// choose runs the selection, and shows its steps.
func (p *Params) choose(ctx context.Context, d *data.Loaded, folds study.Folds, messages *cli.Console) (*selection.Result, error) {
	program, err := version.Key()
	if err != nil {
		return nil, err
	}
	if _, err := study.Metric(&p.Trees); err != nil {
		return nil, &cli.UsageError{Err: err}
	}
	p.Options.Keep, p.Options.Event = &study.Store{Folder: filepath.Join(p.Output, "steps"), Program: program}, folding.Show(messages)
	return lambdamart.Select(ctx, lambdamart.Params{Params: p.Trees}, d, folds, p.Options)
}

// write writes the files of the result.
func (p *Params) write(r *selection.Result, names []string, messages *cli.Console) error {
	paths, err := r.Write(p.Output)
	if err != nil {
		return err
	}
	if names != nil {
		path := filepath.Join(p.Output, "feature_set.json")
		if err := p.writeSet(path, r, names); err != nil {
			return err
		}
		paths = append(paths, path)
	}
	messages.Emit(cli.WroteEvent{Paths: paths})
	if p.Report == "" {
		return nil
	}
	return cli.SaveFile(p.Report, func(w io.Writer) error { return r.Report(w, p.Data, version.Identity()) }, messages)
}
