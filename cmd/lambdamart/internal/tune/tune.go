// Package tune is the command tune.
package tune

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/folding"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/version"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/querycontext"
	"github.com/lambdamart/lambdamart/study"
	"github.com/lambdamart/lambdamart/study/tuning"
)

// Command returns the entry of the command.
func Command() cli.Command {
	return cli.Command{
		Name:  "tune",
		Use:   "tune data=FILE [valid=FILE] [key=value]...",
		Short: "Search for good parameters of boosted trees",
		Long: `Search for good parameters of boosted trees within a budget of trainings, or of seconds. Trials are
judged by the stop metric on valid=, or else on folds of the data. Parameters that are given
keep their values in all trials; those of space= or search= are searched or, without them, those
of a default space that depends on the size of the data.

Trials are trained in steps, and the better third continues after each. The defaults, with the
given parameters, are trained too: a warning says if the best trial lies within their noise.
max_trainings= gives the same trials on every machine; time_budget= does not.

It prints the best trials. The folder output= gets trials.tsv, train.conf for train, result.json
and report.html with curves and the effects of parameters. To continue a run that was stopped,
start it again.`,
		Example: `  lambdamart tune data=train.txt valid=vali.txt stop_metric=ndcg@10
  lambdamart tune data=train.txt folds=5 max_trainings=60 final_model=model.txt
  lambdamart tune data=train.txt search="num_leaves=7..63 log" search="learning_rate=0.02..0.2 log"
  lambdamart train config=train.txt-tune/train.conf`,
		Refused: map[string]string{"input_model": "trials start from the beginning and do not continue from a model; leave it out"},
		Main: []string{
			"config", "data", "valid", "output", "label_column", "group_column", "folds", "space", "search",
			"max_trainings", "time_budget", "final_model", "objective", "num_iterations", "query_context",
			"patience", "stop_metric", "seed", "num_threads",
		},
		New: func() cli.Task { return Default() },
	}
}

// Params are the parameters of tune.
type Params struct {
	Data       string
	Valid      []string
	Layout     data.Layout
	Output     string // folder
	Folding    folding.Params
	FinalModel string
	SpaceFile  string
	Search     []string // dimensions
	Trials     int
	Seconds    float64
	Trees      booster.Params
}

// Default returns the default values. Trials have enough iterations for early stopping to end them.
func Default() *Params {
	p := &Params{Layout: data.DefaultLayout(), Folding: folding.Default(5), Trials: 30, Trees: booster.DefaultParams()}
	p.Trees.NumIterations, p.Trees.Patience = 1000, 50
	return p
}

// Table implements [cli.Task].
func (p *Params) Table() param.Table {
	output := cli.Output(&p.Output)
	output.Help = "Folder of the results; without it, the name of data with -tune at its end."
	valid := cli.Valid(&p.Valid)
	valid.Help = "Validation set by which trials are judged; folds of the data, if it is not given."
	return slices.Concat(
		param.Table{cli.Data(&p.Data), valid, output},
		p.Layout.Table(),
		p.Folding.Table(),
		param.Table{
			folding.FinalModel(&p.FinalModel),
			{Name: "space", Group: folding.Group, File: param.Read,
				Help:  "tune: file of the parameters to search: lines such as learning_rate = 0.02..0.3 log, num_leaves = 7..127 log, objective = lambdarank | rank_xendcg.",
				Value: param.Text(&p.SpaceFile)},
			{Name: "search", Group: folding.Group,
				Help:  "tune: a parameter to search, as in a line of space: num_leaves=7..127 log. Several are given with commas or several times.",
				Value: param.Texts(&p.Search), Repeat: true},
			folding.MaxTrainings(&p.Trials),
			{Name: "time_budget", Group: folding.Group,
				Help:  "tune: seconds after which no training is begun; 0: no limit. Which trials there are depends on the machine then.",
				Value: param.Float(&p.Seconds, param.AtLeast(0), param.AtMost(1e9))},
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
	space, err := p.space(env)
	if err != nil {
		return &cli.UsageError{Err: err}
	}
	earns := len(p.Trees.QueryContext) > 0 && p.Trees.QueryContextFeatures == querycontext.Auto
	if earns {
		p.Trees.QueryContextFeatures = "" // all are loaded
	}
	d, folds, err := p.load(ctx, env)
	if err != nil {
		return err
	}
	defer d.Close()
	o := tuning.Options{Space: space}
	if space == nil {
		if o, err = tuning.Suggest(&p.Trees, d.Training.Meta, env.Given...); err != nil {
			return err
		}
	}
	for _, caution := range tuning.Cautions(&p.Trees, o.Space) {
		env.Messages.Warn(caution)
	}
	o.EarnContext = earns
	result, err := p.search(ctx, d, folds, o, env)
	if err != nil {
		return err
	}
	for _, warning := range result.Warnings {
		env.Messages.Warn(warning)
	}
	if c := result.Context; c != nil && !c.Taken {
		if d = d.WithoutContext(); c.Decided {
			env.Messages.Note(c.String())
		}
	}
	paths, err := result.Write(p.Output, version.Identity(), p.given(env))
	if err != nil {
		return err
	}
	env.Messages.Emit(cli.WroteEvent{Paths: paths})
	if err := result.Table(env.Stdout); err != nil {
		return err
	}
	if p.FinalModel == "" {
		return nil
	}
	return folding.TrainFinal(ctx, result.Params(), d, p.FinalModel, env.Messages)
}

// check returns an error for parameters that cannot be right, before anything is read. It names the
// output if the user did not.
func (p *Params) check(env *cli.Env) error {
	if err := cli.CheckPaths("", cli.Input{Parameter: "data", Path: p.Data}); err != nil {
		return err
	}
	if err := folding.CheckBeside(p.Output, p.FinalModel); err != nil {
		return err
	}
	for _, s := range p.given(env) {
		if strings.ContainsAny(s.Value, "#\r\n") || strings.TrimSpace(s.Value) != s.Value {
			return cli.Usagef("%s=%s: the file train.conf, which tune writes, cannot hold this value, as # begins a comment there: give the file another name", s.Name, s.Value)
		}
	}
	if err := p.Trees.Validate(); err != nil {
		return &cli.UsageError{Err: err}
	}
	if err := tuning.Check(&p.Trees); err != nil {
		return &cli.UsageError{Err: err}
	}
	if err := p.Folding.Check(env); err != nil {
		return err
	}
	if err := p.Folding.CheckSource(env, p.Valid); err != nil {
		return err
	}
	switch {
	case p.Trials == 0 && p.Seconds == 0:
		return cli.Usagef("max_trainings=0 and time_budget=0: %w", tuning.ErrBudget)
	case p.Trees.StopRule() == "":
		return cli.Usagef("no metric decides: name one, as in stop_metric=ndcg@10")
	}
	if err := folding.NameOutput(&p.Output, p.Data, "-tune"); err != nil {
		return err
	}
	folding.WarnOfUnused(env, map[string]string{
		"metric_freq": "every iteration is judged", "stop_set": "there is one rule for all trials",
		"is_provide_training_metric": "training queries are not judged",
	})
	return nil
}

// space returns the space that the user gives; nil if there is none. Dimensions of search replace those of
// the file.
func (p *Params) space(env *cli.Env) (space tuning.Space, err error) {
	if p.SpaceFile != "" {
		if space, err = readSpace(p.SpaceFile); err != nil {
			return nil, err
		}
	}
	if len(p.Search) > 0 {
		settings, err := param.ParseArgs(p.Search)
		if err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		more, err := tuning.NewSpace(settings)
		if err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		space = slices.DeleteFunc(space, func(d tuning.Dimension) bool {
			return slices.ContainsFunc(more, func(o tuning.Dimension) bool { return o.Name == d.Name })
		})
		space = append(space, more...)
	}
	for _, d := range space {
		if slices.Contains(env.Given, d.Name) {
			return nil, fmt.Errorf("%s is given a value and is searched too (%v); leave one out", d.Name, d)
		}
	}
	return space, nil
}

// fewQueries is the number of validation queries below which folds of all queries are better
// (docs/tuning.md).
const fewQueries = 100

// load reads the data, and the folds if there is no validation set.
func (p *Params) load(ctx context.Context, env *cli.Env) (d *data.Loaded, folds study.Folds, err error) {
	if d, err = p.Folding.Load(ctx, env, &p.Trees, p.Layout, p.Data, p.Valid...); err != nil {
		return nil, folds, err
	}
	if len(p.Valid) > 0 {
		err = folding.CheckOverlap("valid", d.Training, d.Validation[0], env.Messages)
		if n := len(d.Validation[0].Meta.Queries); err == nil && n < fewQueries {
			env.Messages.Note(fmt.Sprintf("valid=%s has %d queries, which judge with a large error; folds of these and the training queries, together in data=, have a smaller one", p.Valid[0], n))
		}
	} else {
		folds, err = p.Folding.Folds(ctx, d.Training, p.Layout, p.Trees.NumThreads)
	}
	if err != nil {
		d.Close()
		return nil, folds, err
	}
	folding.RemarkOnRows(&p.Trees, d.Training.Meta, folds, env.Messages)
	return d, folds, nil
}

// search runs the search, and shows its trials.
func (p *Params) search(ctx context.Context, d *data.Loaded, folds study.Folds, o tuning.Options, env *cli.Env) (*tuning.Result, error) {
	program, err := version.Key()
	if err != nil {
		return nil, err
	}
	for _, dimension := range o.Space {
		env.Messages.Emit(cli.NoteEvent{Message: "searched: " + dimension.String()})
	}
	if _, err := study.Metric(&p.Trees); err != nil {
		return nil, &cli.UsageError{Err: err}
	}
	keep := &study.Store{Folder: filepath.Join(p.Output, "trials"), Program: program}
	o.Trials, o.Time, o.Seed = p.Trials, time.Duration(p.Seconds*float64(time.Second)), p.Trees.Seed
	o.Keep, o.Event = keep, folding.Show(env.Messages)
	result, err := lambdamart.Tune(ctx, lambdamart.Params{Params: p.Trees}, d, folds, o)
	if err != nil {
		return nil, err
	}
	if kept := result.Kept(); kept > 0 {
		env.Messages.Emit(resumedEvent{Trials: kept, Of: len(result.Trials), Folder: keep.Folder})
	}
	return result, nil
}

// given returns the settings that train needs to be given to train as the search did, in the order of the
// table.
func (p *Params) given(env *cli.Env) (settings []param.Setting) {
	own := append(p.Folding.Table(), cli.Rows(p.Table(), "output", "final_model", "space", "search", "max_trainings", "time_budget", "valid")...)
	for _, row := range p.Table() {
		if slices.Contains(env.Given, row.Name) && own.Find(row.Name) == nil {
			settings = append(settings, param.Setting{Name: row.Name, Value: row.Value.String()})
		}
	}
	if p.Folding.Column != "" {
		if layout, err := p.Layout.Ignoring(p.Folding.Column); err == nil {
			settings = slices.DeleteFunc(settings, func(s param.Setting) bool { return s.Name == "ignore_column" })
			settings = append(settings, param.Setting{Name: "ignore_column", Value: layout.Ignore})
		}
	}
	return settings
}
