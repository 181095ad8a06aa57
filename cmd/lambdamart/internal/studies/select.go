package studies

import (
	"context"
	"fmt"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/study"
)

// Select returns the entry of the command.
func Select() cli.Command {
	return cli.Command{
		Name:  "select",
		Use:   "select data=FILE [valid=FILE] [num_features=N] [key=value]...",
		Short: "Find the features that a ranker of boosted trees needs",
		Long: `Find the features that a ranker of boosted trees needs: train on all, rank them by what nDCG loses
on validation queries if the values of a feature are permuted, and train on ever fewer of the most
important. A set is judged by the stop metric on valid=, or else on folds of the data. When one is
worse, sizes between it and the last good one are tried.

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
		Refused: map[string]string{"input_model": "every set of features is trained from the beginning; leave " +
			"it out"},
		Main: []string{
			"config", "data", "valid", "holdout", "output", "label_column", "group_column", "folds",
			"num_features", "keep", "step_share", "tolerance", "max_trainings", "final_model",
			"report", "objective", "num_iterations", "learning_rate", "num_leaves", "patience",
			"stop_metric", "seed", "num_threads",
		},
		Needs:     []string{"data"},
		Folder:    true,
		Functions: true,
		New:       func() cli.Task { return defaultSelect() },
	}
}

// selectParams are the parameters of select.
type selectParams struct {
	Common
	Holdout    string
	FeatureSet string
	Options    study.SelectOptions
}

// defaultSelect returns the default values.
func defaultSelect() *selectParams {
	return &selectParams{Common: UntilStopped(), Options: study.DefaultSelectOptions()}
}

// Table implements [cli.Task].
func (p *selectParams) Table() param.Table {
	o := &p.Options
	return p.Common.Table("-select", param.Table{
		p.ValidRow("Validation set by which sets of features are judged; folds of the data, if it is not given."),
		{Name: "holdout", Group: cli.GroupFiles, File: param.Read,
			Help: "select: data on which the chosen features are compared with all features at the end; " +
				"it has no influence on the choice.",
			Value: bind.Text(&p.Holdout)},
	}, param.Table{
		cli.FeatureSet(&p.FeatureSet),
		cli.Report(&p.Report),
		cli.JSON(&p.JSON),
		{Name: "num_features", Aliases: []string{"num_features_to_select", "n_features_to_select"},
			Group: groupStudies,
			Help:  "select: number of features to choose; 0: the smallest set that is as good as the best one.",
			Value: bind.Int(&o.Number, bind.AtLeast(0))},
		{Name: "keep", Group: groupStudies,
			Help: "select: features that are always chosen, by name or number, separated by commas or given " +
				"several times.",
			Value: bind.Texts(&o.Required), Repeat: true},
		{Name: "step_share", Aliases: []string{"step"}, Group: groupStudies,
			Help:  "select: share of its features that the next smaller set leaves out, at least one.",
			Value: bind.Float(&o.Share, bind.Above(0), bind.AtMost(0.9))},
		{Name: "tolerance", Group: groupStudies,
			Help: "select: loss of the mean metric that is accepted for fewer features although it is more than " +
				"one standard error.",
			Value: bind.Float(&o.Tolerance, bind.AtLeast(0))},
		MaxTrainings(&o.Trainings),
		cli.SampleQueries(&o.Queries),
		cli.Permutations(&o.Repeats),
		cli.TestSeed(&o.Seed),
	})
}

// Run implements [cli.Task].
func (p *selectParams) Run(ctx context.Context, env *cli.Env) error {
	s := Study{Ending: "-select", Folder: "steps", Kept: "finished steps are kept",
		Rule: "one rule judges all sets of features", Cautions: true,
		Check: p.check, Loaded: p.divide, Do: p.choose}
	if p.Holdout != "" {
		s.Sets = []string{p.Holdout}
	}
	return p.Common.Run(ctx, env, s)
}

// check returns an error for parameters that cannot be right.
func (p *selectParams) check(env *cli.Env) error {
	p.Options.Own = env.Caller.Own
	return cli.Usage(p.Options.Check(&p.Trees))
}

// divide separates the holdout, which is the last set, from the sets that choose, and checks it.
func (p *selectParams) divide(d *data.Loaded, messages *cli.Console) error {
	if err := p.Options.Check(&p.Trees); err != nil { // again, because stored bins have their own parameters
		return err
	}
	if p.Holdout == "" {
		return nil
	}
	last := len(d.Validation) - 1
	held := d.Validation[last]
	d.Validation = d.Validation[:last]
	if err := CheckOverlap("holdout", d.Training, held, messages); err != nil {
		return err
	}
	if last > 0 {
		if o := study.FindOverlap(TreeData(d.Validation[0]), TreeData(held)); o.Same > 0 {
			return fmt.Errorf("holdout=%s: %d of %d queries are validation queries, with the same ids, labels and "+
				"features, which choose the features; leave them out", p.Holdout, o.Same, o.Queries)
		}
	}
	test := TreeData(held)
	test.Name = p.Holdout
	p.Options.Test = &test
	return nil
}

// choose runs the selection.
func (p *selectParams) choose(in Input) (*Outcome, error) {
	names, err := p.engineNames(in.Data.Training.Meta)
	if err != nil {
		return nil, err
	}
	p.Options.Options = in.Options
	r, err := lambdamart.Select(in.Context, lambdamart.Params{Params: p.Trees}, in.Data, in.Folds, p.Options)
	if err != nil {
		return nil, err
	}
	r.Title += " on " + p.Data
	if names != nil {
		r.Files = append(r.Files, stream.File{Name: "feature_set.json", Write: p.set(r, names)})
	}
	return &Outcome{Found: r,
		Final: func() (booster.Params, *data.Loaded) { return r.Params(), in.Data.Narrow(r.Chosen.Features) }}, nil
}
