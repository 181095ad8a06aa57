package models

import (
	"context"
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/evaluate"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/scoring"
	"github.com/lambdamart/lambdamart/tree"
)

// Calibrate returns the entry of the command.
func Calibrate() cli.Command {
	return cli.Command{
		Name:  "calibrate",
		Use:   "calibrate data=FILE input_model=FILE output_model=FILE [key=value]...",
		Short: "Give a model probabilities, fitted on labeled data that did not train it",
		Long: `Give a model of trees, of any format that is read, probabilities: of the event that a document
has at least a grade, as a rising function of the score. The function is fitted on labeled data,
which should not be the training data, and becomes part of the model. Scores and the order of
documents stay as they are; predict probability=true, Python's predict_proba and serve give
the probabilities.`,
		Example: `  lambdamart calibrate data=vali.txt input_model=model.txt output_model=calibrated.txt
  lambdamart calibrate data=vali.txt input_model=model.txt output_model=calibrated.txt \
      calibration=platt "calibration_label=grade>=2"
  lambdamart predict data=test.txt input_model=calibrated.txt probability=true`,
		Needs: []string{"data", "input_model"},
		New: func() cli.Task {
			return &calibrateParams{Layout: data.DefaultLayout(), Output: "model.txt", Kind: evaluate.Auto,
				Event: "grade>=1"}
		},
	}
}

// calibrateParams are the parameters of calibrate.
type calibrateParams struct {
	Data   string
	Layout data.Layout
	Model  string
	Output string
	Kind   string
	Event  string

	Threads int
	grade   float64 // in Event
}

// Table implements [cli.Task].
func (p *calibrateParams) Table() param.Table {
	return slices.Concat(
		param.Table{cli.Data(&p.Data), cli.InputModel(&p.Model), cli.OutputModel(&p.Output)},
		p.Layout.Table(),
		param.Table{
			{Name: "calibration", Group: cli.GroupCalibration,
				Help: "isotonic: steps that rise, for at least a thousand events or so. platt: a sigmoid. auto: the one that " +
					"has the lower log loss on queries that it was not fitted on.",
				Value: bind.Choice(&p.Kind, evaluate.Auto, tree.Isotonic, tree.Platt)},
			cli.CalibrationLabel(&p.Event),
			cli.NumThreads(&p.Threads),
		},
	)
}

// Check implements [cli.Checker].
func (p *calibrateParams) Check(*cli.Env) (err error) {
	p.grade, err = cli.Event(p.Event)
	return err
}

// Run implements [cli.Task].
func (p *calibrateParams) Run(ctx context.Context, env *cli.Env) error {
	m, _, err := cli.ReadModel(p.Model, env.Messages)
	if err != nil {
		return err
	}
	trees, ok := m.(*tree.Ensemble)
	if !ok {
		return cli.Usagef("input_model=%s is a network; models of trees can be calibrated", p.Model)
	}
	scorer, err := lambdamart.Compile(m)
	if err != nil {
		return fmt.Errorf("%s: %w", p.Model, err)
	}
	src, err := cli.OpenFor(m, p.Model, p.Data, data.Options{Layout: p.Layout, Workers: p.Threads}, env.Messages)
	if err != nil {
		return err
	}
	defer src.Close()
	scored, err := scoring.Scores(scorer).All(ctx, src)
	env.Messages.EndProgress()
	if err != nil {
		return err
	}
	cli.ShowSummary(scored.Summary, env.Messages)
	c, err := evaluate.Calibrate(p.Kind, scored.Meta, scored.Numbers, p.grade)
	if err != nil {
		return fmt.Errorf("%s: %w", p.Data, err)
	}
	p.show(c, scored.Meta.NumRows(), env.Messages)
	return cli.SaveModel(p.Output, trees.Calibrated(c), env.Messages)
}

// show says what was fitted.
func (p *calibrateParams) show(c *tree.Calibration, rows int, messages *cli.Console) {
	text := fmt.Sprintf("probability of %s from %s documents: ", p.Event, wording.Thousands(rows))
	if c.Kind == tree.Platt {
		text += fmt.Sprintf("platt, 1/(1+e^(%.4g*score%+.4g))", c.A, c.B)
	} else {
		text += fmt.Sprintf("isotonic, %s scores", wording.Thousands(len(c.Scores)))
	}
	messages.Say("calibrated", text, "calibration", c.Kind, "rows", rows)
}
