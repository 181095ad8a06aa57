package studies

import (
	"context"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/bind"
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
important, a fifth less at a time. A set is judged by the stop metric on valid=, or else on folds
of the data.

The smallest set that is as good as the best one is chosen: at most one standard error of the
paired differences below it. With num_features=, it has this many features. The validation
queries chose the set, so that its value on them is too high: judge its model on other data, by
compare.

It prints the steps, and the importance of the chosen features with intervals. The folder
output= gets features.txt with their names, steps.tsv, features.tsv and result.json.
To continue a run that was stopped, start it again.`,
		Example: `  lambdamart select data=train.txt valid=vali.txt stop_metric=ndcg@10
  lambdamart select data=train.csv folds=5 num_features=20 final_model=model.txt report=features.html`,
		Refused: map[string]string{
			"input_model": "every set of features is trained from the beginning; leave it out",
			"max_trainings": "the selection ends with a set that is worse; leave it out, or give num_features, " +
				"which trains twice",
			"sample_queries": "importance is measured on at most 1,000 queries of each fold; leave it out",
			"permutations":   "each feature is permuted five times; leave it out",
			"test_seed":      "permutations and tests have one seed; leave it out",
		},
		Instead: map[string]string{"preset": insteadOfPreset},
		Main: []string{
			"config", "data", "valid", "output", "label_column", "group_column", "folds", "num_features",
			"final_model", "report", "objective", "num_iterations", "learning_rate", "num_leaves", "patience",
			"stop_metric", "seed", "num_threads",
		},
		Needs:     []string{"data"},
		Folder:    true,
		Functions: true,
		New: func() cli.Task {
			return &selectParams{Common: untilStopped("select", "sets of features", "steps")}
		},
	}
}

// selectParams are the parameters of select.
type selectParams struct {
	Common
	Number int
}

// Table implements [cli.Task].
func (p *selectParams) Table() param.Table {
	return p.Common.Table(param.Table{
		cli.Report(&p.Report),
		cli.JSON(&p.JSON),
		{Name: "num_features", Aliases: []string{"num_features_to_select", "n_features_to_select"},
			Group: groupStudies,
			Help:  "select: number of features to choose; 0: the smallest set that is as good as the best one.",
			Value: bind.Int(&p.Number, bind.AtLeast(0))},
	})
}

// Run implements [cli.Task].
func (p *selectParams) Run(ctx context.Context, env *cli.Env) error {
	o := study.SelectOptions{Number: p.Number}
	w, err := p.begin(ctx, env, &o.Options, o.Check)
	if err != nil {
		return err
	}
	defer w.close(ctx)
	r, err := study.Select(ctx, p.Trees, w.on, o)
	if err != nil {
		return w.failed(err)
	}
	r.Title += " on " + p.Data
	if err := w.write(r); err != nil {
		return err
	}
	return w.final(ctx, r.Params(), r.Chosen.Features...)
}
