package studies

import (
	"context"
	"errors"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/study"
)

// Curve returns the entry of the command.
func Curve() cli.Command {
	return cli.Command{
		Name:  "curve",
		Use:   "curve data=FILE [valid=FILE] [shares=0.1,0.2,0.5,1] [key=value]...",
		Short: "Show whether more training queries would help",
		Long: `Train on shares of the queries, and judge each share by the stop metric on the same queries: those
of valid=, or else folds of the data. A share has all queries of the smaller ones. Each is compared
with the one before by a randomization test.

It prints a line for each share, and what the last step shows. The folder output= gets shares.tsv
and result.json; report=FILE shows the curve as one page of HTML. To continue a run that was
stopped, start it again.`,
		Example: `  lambdamart curve data=train.txt valid=vali.txt stop_metric=ndcg@10
  lambdamart curve data=train.txt folds=5 shares=0.25,0.5,1 report=curve.html`,
		Refused: map[string]string{"input_model": "every share is trained from the beginning; leave it out"},
		Instead: map[string]string{"preset": insteadOfPreset},
		Main: []string{
			"config", "data", "valid", "output", "label_column", "group_column", "folds", "shares", "report", "json",
			"objective", "num_iterations", "learning_rate", "num_leaves", "patience", "stop_metric", "seed",
			"num_threads",
		},
		Needs:     []string{"data"},
		Folder:    true,
		Functions: true,
		New: func() cli.Task {
			return &curveParams{Common: untilStopped("curve", "shares", "shares"), Shares: []float64{0.1, 0.2, 0.5, 1}}
		},
	}
}

// curveParams are the parameters of curve.
type curveParams struct {
	Common
	Shares []float64
}

// Table implements [cli.Task].
func (p *curveParams) Table() param.Table {
	return p.Common.Table(param.Table{
		{Name: "shares", Group: groupStudies,
			Help:  "curve: shares of the training queries that are trained on, ascending, above 0 and at most 1.",
			Value: bind.Floats(&p.Shares)},
		cli.Report(&p.Report),
		cli.JSON(&p.JSON),
	})
}

// Run implements [cli.Task].
func (p *curveParams) Run(ctx context.Context, env *cli.Env) error {
	o := study.CurveOptions{Shares: p.Shares}
	w, err := p.begin(ctx, env, &o.Options, o.Check)
	if err != nil {
		return err
	}
	defer w.close(ctx)
	r, failed := study.Curve(ctx, p.Trees, w.on, o)
	if r == nil {
		return w.failed(failed)
	}
	if err := w.write(r); err != nil {
		return err
	}
	return errors.Join(failed, w.final(ctx, r.Final(p.Trees)))
}
