// Package studies has the commands that train many models: cv, curve, tradeoff, tune, select and bench.
package studies

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/train"
	"github.com/lambdamart/lambdamart/internal/rounds"
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
	name     string // of the command
	judged   string // what the study trains and judges, such as "trials"
	folder   string // in the result folder, for work that a later run can reuse
	cautions bool   // report the parameters' cautions; otherwise the study reports its own

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

// defaultCommon returns the default values for a study.
func defaultCommon(name, judged, folder string) Common {
	return Common{name: name, judged: judged, folder: folder, cautions: true, Layout: data.DefaultLayout(),
		Folding: Folding{N: 5}, Trees: booster.DefaultParams()}
}

// insteadOfPreset says what to do in a command that trains with the parameters that it is given.
const insteadOfPreset = "give the parameters that lambdamart train preset=auto prints"

// untilStopped returns the default values of a study with enough iterations for early stopping to end each
// run.
func untilStopped(name, judged, folder string) Common {
	c := defaultCommon(name, judged, folder)
	c.Trees.NumIterations, c.Trees.Patience = 1000, 50
	return c
}

// Table returns the parameters of a study: the common ones, and its own.
func (c *Common) Table(own param.Table) param.Table {
	return slices.Concat(
		param.Table{
			cli.Data(&c.Data),
			helped(cli.Valid(&c.Valid), "Validation set by which "+c.judged+" are judged; folds of the data, if it "+
				"is not given."),
			helped(cli.Output(&c.Output), "Folder of the results; without it, the name of data with -"+c.name+
				" at its end."),
		},
		c.Layout.Table(), c.Folding.Table(), param.Table{finalModel(&c.FinalModel)}, own, c.Trees.Table())
}

// work is a study in progress. Close it after use.
type work struct {
	*Common
	*cli.Env
	loaded *data.Loaded
	on     study.Data
}

// begin checks the parameters, completes the options o, and loads the data. check validates the parameters
// before anything is read.
func (c *Common) begin(ctx context.Context, env *cli.Env, o *study.Options,
	check func(*booster.Params) error) (_ *work, err error) {
	w := &work{Common: c, Env: env}
	defer func() {
		if err != nil {
			w.close(ctx)
		}
	}()
	o.Own, o.Log, o.Progress = env.Caller.Own, env.Messages.Logger(), show(env.Messages)
	if err := w.check(check); err != nil {
		return nil, err
	}
	if err := w.load(ctx); err != nil {
		return nil, err
	}
	program, err := cli.ProgramKey()
	o.Keep = &study.Store{Folder: filepath.Join(c.Output, c.folder), Program: program}
	return w, err
}

// close releases the data and, if a signal has ended the study, says how to continue it.
func (w *work) close(ctx context.Context) {
	if w.loaded != nil {
		w.loaded.Close()
	}
	if ctx.Err() != nil && w.Output != "" {
		w.Messages.Note(w.kept())
	}
}

// kept says how to continue a study.
func (c *Common) kept() string {
	return "finished " + c.folder + " are kept in " + c.Output + "; the same command continues from there"
}

// failed returns the error of a study; if it is of a panic, with what to report.
func (w *work) failed(err error) error {
	w.Messages.EndProgress()
	wayOn, caller := "", w.Caller
	switch {
	case rounds.ReasonOf(err) != training.Panicked:
		return err
	case !caller.IsPrivate(w.Output):
		wayOn = w.kept()
	}
	return train.Reported(err, caller, w.loaded.Training.Meta, train.ChangedOfTrees(&w.Trees), wayOn)
}

// check returns an error for parameters that cannot be right, before anything is read. It names the output
// if the user did not.
func (w *work) check(own func(*booster.Params) error) error {
	if err := checkBeside(w.Output, w.FinalModel, w.Report); err != nil {
		return err
	}
	if err := own(&w.Trees); err != nil {
		return cli.Usage(err)
	}
	if err := w.checkPairs(); err != nil {
		return err
	}
	if err := w.Folding.check(w.Env, w.Valid); err != nil {
		return err
	}
	w.remark()
	return nameOutput(&w.Output, w.Data, "-"+w.name)
}

// checkPairs returns an error for an objective or a metric of pairs of documents, which studies do not read.
func (w *work) checkPairs() error {
	const advice = "only train and eval read pairs of documents, with pairs=FILE; name another one here"
	if w.Caller.NewObjective() == nil && objective.ReadsPairs(w.Trees.Objective) {
		return cli.Usagef("objective=%s: %s", w.Trees.Objective, advice)
	}
	metrics, _ := w.Trees.Metrics(w.Trees.LabelGain, w.Caller.Metrics...) // the study reports an error
	if i := slices.IndexFunc(metrics, metric.ReadsPairs); i >= 0 {
		return cli.Usagef("metric=%s: %s", metrics[i].Name(), advice)
	}
	return nil
}

// remark reports parameters without effect.
func (w *work) remark() {
	if w.cautions {
		w.Messages.Warn(w.Caller.Cautions(w.Trees, w.Given)...)
	}
	if remark := rounds.EvalAtCaution(&w.Trees.Params); remark != "" {
		w.Messages.Warn(remark)
	}
	reasons := map[string]string{"metric_freq": "every iteration is judged",
		"stop_set":                   "one rule judges all " + w.judged,
		"is_provide_training_metric": "training queries are not judged"}
	for _, name := range w.Given {
		if reason := reasons[name]; reason != "" {
			w.Messages.Warn(name + " has no effect here: " + reason)
		}
	}
}

// load reads the data, and the folds if there is no validation set.
func (w *work) load(ctx context.Context) (err error) {
	if w.loaded, err = w.read(ctx); err != nil {
		return err
	}
	d := w.loaded
	w.Caller.Show(false, d.Training, d.Validation...)
	if w.on = study.On(d, study.Folds{}); w.on.Valid != nil {
		err = checkOverlap(d.Validation[0].Path, &w.on, w.Messages)
	} else {
		w.on.Folds, err = w.folds(ctx, d.Training)
	}
	if err == nil {
		remarkOnRows(&w.Trees, &w.on, w.Messages)
	}
	return err
}

// found is the document of a study.
type found interface {
	cli.Shown
	Remarks() []string
	MadeBy(program string)
	Save(folder string) (paths []string, err error)
}

// write writes the results: files, the page and the table.
func (w *work) write(r found) error {
	w.Messages.EndProgress()
	w.Messages.Warn(r.Remarks()...)
	r.MadeBy(cli.Identity())
	paths, err := r.Save(w.Output)
	if err != nil {
		return err
	}
	w.Messages.Wrote(paths)
	return cli.Show(w.Env, r, w.Report, w.JSON)
}

// show returns a listener that shows the progress of a study. Rounds move a bar on a terminal; elsewhere
// there are too many to show each.
func show(messages *cli.Console) func(study.Progress) {
	steadily, done := messages.Steadily(), 0
	return func(p study.Progress) {
		if p.Done < done { // another run, which has a bar of its own
			messages.EndProgress()
		}
		done = p.Done
		switch {
		case p.Number == 0 && p.Steps[1] == 0: // not of a run
			steadily(p.Part, p.Done, p.Of)
		case !messages.Draws():
			steadily("iterations", p.Done, p.Of)
		case p.Number == 0:
			messages.Within(p.Done+1, p.Of, p.Steps[0], p.Steps[1])
		default:
			shown, metric := p.Round, ""
			if shown.Number = p.Done; len(p.Evaluations) > 0 {
				metric = p.Evaluations[0].Result.Metric
			}
			messages.Progress(shown, p.Of, metric, 1)
		}
	}
}
