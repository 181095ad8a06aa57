package studies

import (
	"context"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/study"
)

// Tradeoff returns the entry of the command.
func Tradeoff() cli.Command {
	const given = "a= and b= name the objectives; leave it out"
	return cli.Command{
		Name:  "tradeoff",
		Use:   "tradeoff data=FILE [valid=FILE] a=OBJECTIVE b=OBJECTIVE [steps=9] [key=value]...",
		Short: "Show what one label costs another",
		Long: `Train with mixtures of two objectives, such as those of purchases and of clicks, from a alone to
b alone, and judge each on the same queries: those of valid=, or else folds of the data. The metrics
are the stop metric of the label of each objective. The iteration of a mixture is the best one by
the sum of both metrics, weighted as the objectives.

It prints a line for each mixture, with intervals, and marks those that another one dominates. The
folder output= gets mixtures.tsv and result.json; report=FILE shows the front as one page of HTML.
To continue a run that was stopped, start it again.`,
		Example: `  lambdamart tradeoff data=train.csv valid=vali.csv query_column=query \
      label_columns=purchase,click a=lambdarank@purchase b=lambdarank@click \
      stop_metric=ndcg@10 report=front.html`,
		Refused: map[string]string{"input_model": "every mixture is trained from the beginning; leave it out",
			"objective": given, "final_model": "train with the objective of a mixture; leave it out"},
		Instead: map[string]string{"preset": insteadOfPreset},
		Main: []string{
			"config", "data", "valid", "output", "label_column", "label_columns", "group_column", "folds", "a", "b",
			"steps", "report", "json", "num_iterations", "learning_rate", "num_leaves", "patience",
			"stop_metric", "seed", "num_threads",
		},
		Needs:  []string{"data"},
		Folder: true,
		New: func() cli.Task {
			return &tradeoffParams{Common: untilStopped("tradeoff", "mixtures", "mixtures"), Steps: 9}
		},
	}
}

// tradeoffParams are the parameters of tradeoff.
type tradeoffParams struct {
	Common
	A, B  string
	Steps int
}

// Table implements [cli.Task].
func (p *tradeoffParams) Table() param.Table {
	return cli.Without(p.Common.Table(param.Table{
		{Name: "a", Group: groupStudies,
			Help:  "tradeoff: objective with which the mixtures begin, such as lambdarank@purchase.",
			Value: bind.Text(&p.A)},
		{Name: "b", Group: groupStudies,
			Help:  "tradeoff: objective with which the mixtures end, such as lambdarank@click.",
			Value: bind.Text(&p.B)},
		{Name: "steps", Group: groupStudies,
			Help: "tradeoff: number of mixtures, whose weights are at equal distances; the first is a, the last is " +
				"b.",
			Value: bind.Int(&p.Steps, bind.AtLeast(2), bind.AtMost(1000))},
		cli.Report(&p.Report),
		cli.JSON(&p.JSON),
	}), "objective", "final_model")
}

// Run implements [cli.Task].
func (p *tradeoffParams) Run(ctx context.Context, env *cli.Env) error {
	o := study.TradeoffOptions{A: p.A, B: p.B, Steps: p.Steps}
	check := func(trees *booster.Params) error {
		err := o.Check(trees)
		trees.Objective = p.A + ":0.5," + p.B + ":0.5" // for remarks on the data
		return err
	}
	w, err := p.begin(ctx, env, &o.Options, check)
	if err != nil {
		return err
	}
	defer w.close(ctx)
	r, err := study.Tradeoff(ctx, p.Trees, w.on, o)
	if err != nil {
		return w.failed(err)
	}
	return w.write(r)
}
