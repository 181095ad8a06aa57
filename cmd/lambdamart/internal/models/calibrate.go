package models

import (
	"context"
	"slices"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/train"
	"github.com/lambdamart/lambdamart/evaluate"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/param"
)

// Calibrate returns the entry of the command.
func Calibrate() cli.Command {
	return cli.Command{
		Name:  "calibrate",
		Use:   "calibrate data=FILE input_model=FILE output_model=FILE [key=value]...",
		Short: "Give a model probabilities, fitted on labeled data that did not train it",
		Long: `Give a model, of any format that is read, probabilities: of the event that a document has at
least a grade, or a value of one of several labels, as a rising function of the score. The
function is fitted on labeled data, which should not be the training data, and becomes part of
the model. Scores and the order of documents stay as they are; predict probability=true,
Python's predict_proba and serve give the probabilities.`,
		Example: `  lambdamart calibrate data=vali.txt input_model=model.txt output_model=calibrated.txt
  lambdamart calibrate data=vali.txt input_model=model.txt output_model=calibrated.txt \
      calibration=platt "calibration_label=grade>=2"
  lambdamart predict data=test.txt input_model=calibrated.txt probability=true`,
		Needs: []string{"data", "input_model"},
		New: func() cli.Task {
			return &calibrateParams{Layout: data.DefaultLayout(), Output: "model.txt",
				Calibration: train.DefaultCalibration(evaluate.Auto)}
		},
	}
}

// calibrateParams are the parameters of calibrate.
type calibrateParams struct {
	Data    string
	Layout  data.Layout
	Model   string
	Output  string
	Threads int
	train.Calibration
}

// Table implements [cli.Task].
func (p *calibrateParams) Table() param.Table {
	return slices.Concat(
		param.Table{cli.Data(&p.Data), cli.InputModel(&p.Model), cli.OutputModel(&p.Output)},
		p.Layout.Table(), p.Calibration.Table(), param.Table{cli.NumThreads(&p.Threads)},
	)
}

// Check implements [cli.Checker].
func (p *calibrateParams) Check(*cli.Env) error {
	if p.Kind == "none" {
		return cli.Usagef("calibration=none fits nothing; give auto, isotonic or platt")
	}
	return p.Calibration.Check(p.Layout.LabelNames())
}

// Run implements [cli.Task].
func (p *calibrateParams) Run(ctx context.Context, env *cli.Env) error {
	m, _, err := cli.ReadModel(p.Model, env.Messages)
	if err != nil {
		return err
	}
	calibrated, err := p.Fit(ctx, m, p.Model, p.Data, data.Options{Layout: p.Layout, Workers: p.Threads},
		env.Messages)
	if err != nil {
		return err
	}
	return cli.SaveModel(p.Output, calibrated, env.Messages)
}
