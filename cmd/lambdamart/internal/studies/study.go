// Package studies has the commands that train many models: cv, curve, tradeoff, tune, select and bench.
package studies

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/train"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/version"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/study"
	"github.com/lambdamart/lambdamart/training"
)

// Common holds the parameters of every study of boosted trees. Valid, Report and JSON are for studies that
// have rows for them.
type Common struct {
	Data       string
	Valid      []string
	Layout     data.Layout
	Output     string // folder
	Folding    Folding
	FinalModel string
	Report     string
	JSON       bool // the document is printed as JSON
	Trees      booster.Params
}

// DefaultCommon returns the default values.
func DefaultCommon() Common {
	return Common{Layout: data.DefaultLayout(), Folding: Folding{N: 5}, Trees: booster.DefaultParams()}
}

// insteadOfPreset says what to do in a command that trains with the parameters that it is given.
var insteadOfPreset = map[string]string{
	"preset": "give the parameters that lambdamart train preset=auto prints",
}

// UntilStopped returns the default values of studies with enough iterations for early stopping to end each
// run.
func UntilStopped() Common {
	c := DefaultCommon()
	c.Trees.NumIterations, c.Trees.Patience = 1000, 50
	return c
}

// Table returns the parameters of a study: the common ones, those of input files, and its own. ending is the
// ending of its result folder.
func (c *Common) Table(ending string, files, own param.Table) param.Table {
	output := cli.Output(&c.Output)
	output.Help = "Folder of the results; without it, the name of data with " + ending + " at its end."
	return slices.Concat(param.Table{cli.Data(&c.Data)}, files, param.Table{output},
		c.Layout.Table(), c.Folding.Table(), param.Table{FinalModel(&c.FinalModel)}, own, c.Trees.Table())
}

// ValidRow is the row of the validation set of a study.
func (c *Common) ValidRow(help string) param.Parameter {
	row := cli.Valid(&c.Valid)
	row.Help = help
	return row
}

// Study is the part of a command that differs from study to study. Loaded may be nil.
type Study struct {
	Ending string // of the name of its result folder
	Folder string // in the result folder, for work that a later run can reuse
	Kept   string // name of that work, for the note after an interruption
	Rule   string // the reason why stop_set has no effect

	Outputs  []string // files to write besides the model and the page
	Cautions bool     // report the parameters' cautions; otherwise Do reports its own

	Check  func(env *cli.Env) error             // validates the parameters before anything is read
	Loaded func(d *data.Loaded, m *cli.Console) // remarks on the data
	Do     func(in Input) (*Outcome, error)
}

// Input is the input of a study.
type Input struct {
	Context context.Context
	Env     *cli.Env
	Data    *data.Loaded
	Folds   study.Folds // none if there is a validation set
	Options study.Options
}

// Found is the result of a study.
type Found interface {
	cli.Found
	Remarks() []string
	MadeBy(program string)
	Save(folder string) (paths []string, err error)
}

// Outcome is everything that a study produces.
type Outcome struct {
	Found
	Models func() error // writes the models of the study itself; may be nil
	Failed error        // the part of the study that failed

	Final func() (booster.Params, *data.Loaded) // the final training run
}

// Run runs a study and writes its results.
func (c *Common) Run(ctx context.Context, env *cli.Env, s Study) error {
	err := c.run(ctx, env, &s)
	if ctx.Err() != nil && c.Output != "" {
		env.Messages.Note(s.Kept + " in " + c.Output + "; the same command continues from there")
	}
	return err
}

func (c *Common) run(ctx context.Context, env *cli.Env, s *Study) error {
	if err := c.check(env, s); err != nil {
		return err
	}
	d, folds, err := c.load(ctx, env, s)
	if err != nil {
		return err
	}
	defer d.Close()
	program, err := version.Key()
	if err != nil {
		return err
	}
	keep := &study.Store{Folder: filepath.Join(c.Output, s.Folder), Program: program}
	o, err := s.Do(Input{ctx, env, d, folds,
		study.Options{Own: env.Caller.Own, Keep: keep, Event: Show(env.Messages)}})
	env.Messages.EndProgress()
	if err != nil && training.ReasonOf(err) == training.Panicked {
		wayOn := ""
		if !env.Caller.IsPrivate(c.Output) {
			wayOn = s.Kept + " in " + c.Output + "; the same command continues from there"
		}
		defaults := booster.DefaultParams()
		return train.Reported(err, env.Caller, d.Training.Meta, c.Trees.Table(), defaults.Table(), wayOn)
	}
	if err != nil {
		return err
	}
	return c.write(ctx, env, o)
}

// check returns an error for parameters that cannot be right, before anything is read. It names the output
// if the user did not.
func (c *Common) check(env *cli.Env, s *Study) error {
	if err := checkBeside(c.Output, append(s.Outputs, c.FinalModel, c.Report)...); err != nil {
		return err
	}
	if err := s.Check(env); err != nil {
		return err
	}
	if err := c.checkPairs(env); err != nil {
		return err
	}
	if err := c.Folding.Check(env, c.Valid); err != nil {
		return err
	}
	if err := NameOutput(&c.Output, c.Data, s.Ending); err != nil {
		return err
	}
	c.remark(env, s)
	return nil
}

// checkPairs returns an error for an objective or a metric of pairs of documents, which studies do not read.
func (c *Common) checkPairs(env *cli.Env) error {
	const advice = "only train and eval read pairs of documents, with pairs=FILE; name another one here"
	if env.Caller.NewObjective() == nil && objective.ReadsPairs(c.Trees.Objective) {
		return cli.Usagef("objective=%s: %s", c.Trees.Objective, advice)
	}
	metrics, _ := c.Trees.Metrics(c.Trees.LabelGain, env.Caller.Metrics...) // s.Check reports an error
	if i := slices.IndexFunc(metrics, metric.ReadsPairs); i >= 0 {
		return cli.Usagef("metric=%s: %s", metrics[i].Name(), advice)
	}
	return nil
}

// remark reports parameters without effect.
func (c *Common) remark(env *cli.Env, s *Study) {
	if s.Cautions {
		env.Messages.Warn(env.Caller.Cautions(c.Trees, env.Given)...)
	}
	reasons := map[string]string{"metric_freq": "every iteration is judged", "stop_set": s.Rule,
		"is_provide_training_metric": "training queries are not judged"}
	for _, name := range env.Given {
		if reason := reasons[name]; reason != "" {
			env.Messages.Warn(name + " has no effect here: " + reason)
		}
	}
}

// load reads the data, and the folds if there is no validation set.
func (c *Common) load(ctx context.Context, env *cli.Env, s *Study) (d *data.Loaded, folds study.Folds,
	err error) {
	if d, err = c.Folding.Load(ctx, env, &c.Trees, c.Layout, c.Data, c.Valid...); err != nil {
		return nil, folds, err
	}
	env.Caller.Show(false, d.Training, d.Validation...)
	if s.Loaded != nil {
		s.Loaded(d, env.Messages)
	}
	if len(d.Validation) > 0 {
		err = CheckOverlap(d.Training, d.Validation[0], env.Messages)
	} else {
		folds, err = c.Folding.Folds(ctx, d.Training, c.Layout, c.Trees.NumThreads)
	}
	if err != nil {
		d.Close()
		return nil, folds, err
	}
	RemarkOnRows(&c.Trees, d.Training.Meta, folds, env.Messages)
	return d, folds, nil
}

// write writes the results: files, the page, the table, and models.
func (c *Common) write(ctx context.Context, env *cli.Env, o *Outcome) error {
	env.Messages.Warn(o.Remarks()...)
	o.MadeBy(version.Identity())
	paths, err := o.Save(c.Output)
	if err != nil {
		return err
	}
	env.Messages.Wrote(paths)
	if err := cli.Show(env, o, c.Report, c.JSON); err != nil {
		return err
	}
	if o.Models != nil {
		if err := o.Models(); err != nil {
			return err
		}
	}
	if c.FinalModel == "" {
		return o.Failed
	}
	p, d := o.Final()
	return errors.Join(o.Failed, TrainFinal(ctx, p, d, c.FinalModel, env))
}

// Show returns a listener that shows the events of a study. Rounds move a bar on a terminal; elsewhere they
// are not shown, because there are too many.
func Show(messages *cli.Console) func(study.Event) {
	return func(e study.Event) {
		switch p := e.Progress; {
		case p == nil:
			if e.Kind == "begin" || e.Kind == "end" { // each run has a bar of its own
				messages.EndProgress()
			}
			messages.Emit(e)
		case e.Kind == "queries":
			messages.Within(p.Done+1, p.Of, p.Steps[0], p.Steps[1])
		default:
			showRound(p, messages)
		}
	}
}

func showRound(e *study.Progress, messages *cli.Console) {
	if !messages.Terminal() {
		return
	}
	shown, metric := cli.NewIterationEvent(e.Round, e.Of), ""
	shown.Iteration = e.Done
	if len(e.Evaluations) > 0 {
		metric = e.Evaluations[0].Result.Metric
	}
	messages.Progress(shown, metric, 1)
}
