package train

import (
	"context"
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/tree"
)

// Refit returns the entry of the command.
func Refit() cli.Command {
	return cli.Command{
		Name:  "refit",
		Use:   "refit data=FILE input_model=FILE output_model=FILE [key=value]...",
		Short: "Fit the leaf values of a model to new data; the trees keep their splits",
		Long: `Fit the leaf values of a model of trees, of any format that is read, to new judgments. The
splits remain as they are, so that what the model looks at does not change. Tree by tree,
each leaf gets refit_decay_rate times its old value, and the rest of the value that the new
data gives it, as LightGBM's task=refit does.

To grow more trees instead, use train input_model=.`,
		Example: `  lambdamart refit data=thisweek.txt input_model=model.txt output_model=refreshed.txt
  lambdamart refit data=thisweek.txt input_model=xgboost.json output_model=refreshed.txt ` +
			`refit_decay_rate=0.5 lambda_l2=1`,
		Tasks: []string{"refit", "refit_tree"},
		Needs: []string{"data", "input_model"},
		New: func() cli.Task {
			return &refitParams{Layout: data.DefaultLayout(), OutputModel: "model.txt", Decay: 0.9,
				Trees: booster.DefaultParams()}
		},
	}
}

// refitParams are the parameters of refit.
type refitParams struct {
	Data        string
	Layout      data.Layout
	InputModel  string
	OutputModel string
	Decay       float64
	Trees       booster.Params // only those of leaf values and of objectives are used
}

// Table implements [cli.Task].
func (p *refitParams) Table() param.Table {
	return slices.Concat(
		param.Table{cli.Data(&p.Data), cli.InputModel(&p.InputModel), cli.OutputModel(&p.OutputModel)},
		p.Layout.Table(),
		param.Table{{Name: "refit_decay_rate", Group: "Refit",
			Help: "Share of the old leaf values that remains: 0 uses only the new data, 1 changes " +
				"nothing.",
			Value: bind.Float(&p.Decay, bind.AtLeast(0), bind.AtMost(1))}},
		cli.Rows(p.Trees.Table(), "objective", "seed", "num_threads", "lambda_l1", "lambda_l2", "max_delta_step",
			"saved_feature_importance_type"),
		objective.Table(&p.Trees.AllParams),
	)
}

// Check implements [cli.Checker].
func (p *refitParams) Check(env *cli.Env) error {
	if err := p.Trees.Validate(nil); err != nil {
		return &cli.UsageError{Err: err}
	}
	env.Messages.Warn(p.Trees.Cautions()...)
	return nil
}

// Run implements [cli.Task].
func (p *refitParams) Run(ctx context.Context, env *cli.Env) error {
	m, _, err := cli.ReadModel(p.InputModel, env.Messages)
	if err != nil {
		return err
	}
	trees, ok := m.(*tree.Ensemble)
	if !ok {
		return cli.Usagef("input_model=%s is a network; leaf values are those of trees", p.InputModel)
	}
	env.Messages.Warn(p.otherObjective(trees, env.Given)...)
	src, err := cli.OpenFor(m, p.InputModel, p.Data,
		data.Options{Layout: p.Layout, InitialScores: true, Workers: p.Trees.NumThreads}, env.Messages)
	if err != nil {
		return err
	}
	defer src.Close()
	fitted, err := booster.Refit(ctx, p.Trees, trees, src, nil, p.Decay)
	env.Messages.EndProgress()
	env.Messages.Warn(src.Noticed()...)
	if err != nil {
		return cli.OpenError(p.InputModel, fmt.Errorf("%s: %w", p.InputModel, err))
	}
	if fitted.Remark != "" {
		env.Messages.Warn(fitted.Remark)
	}
	cli.TellUncalibrated(m, fitted, env.Messages)
	return cli.SaveModel(p.OutputModel, fitted, env.Messages)
}

// otherObjective returns a warning if the model says that it was trained with another objective than that of
// the new leaf values, which the user has not chosen.
func (p *refitParams) otherObjective(m *tree.Ensemble, given []string) []string {
	parameters, _, _ := provenance.Of(m) // empty for a model of another program
	trained := provenance.Value(parameters, "objective")
	canonical := objective.Choice(&trained)
	if trained == "" || slices.Contains(given, "objective") || canonical.Set(trained) != nil ||
		trained == p.Trees.Objective {
		return nil
	}
	advice := "give objective=" + trained
	if objective.ReadsPairs(trained) {
		advice = "refit reads no pairs; train input_model= continues with new ones"
	}
	return []string{fmt.Sprintf("%s was trained with objective=%s, and its leaves are fitted with "+
		"objective=%s, which changes what scores mean: %s", p.InputModel, trained, p.Trees.Objective, advice)}
}
