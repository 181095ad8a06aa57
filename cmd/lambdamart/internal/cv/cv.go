// Package cv is the command cv.
package cv

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/folding"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/learner"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/version"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/study"
	"github.com/lambdamart/lambdamart/study/preset"
)

// Command returns the entry of the command.
func Command() cli.Command {
	return cli.Command{
		Name:  "cv",
		Use:   "cv data=FILE [folds=5] [key=value]...",
		Short: "Cross-validate boosted trees: best number of iterations, out-of-fold scores",
		Long: `Cross-validate boosted trees: divide the queries into folds, and train on all folds but one,
as often as there are folds. Folds are drawn at random, or given by fold_file= or fold_column=.

An iteration is judged by the mean of the stop metric over the queries of all folds. final_model=
is trained on all data with the best number of iterations; with patience=, all folds
stop together. It prints the values of the folds, the mean and its interval over queries. The
folder output= gets scores.txt with the out-of-fold scores, queries.tsv, curve.tsv and
result.json. report=FILE shows them as one page of HTML. average_model= is the mean of the
folds' models as one model.

To continue a run that was stopped, start it again.`,
		Example: `  lambdamart cv data=train.txt num_iterations=500 patience=50 stop_metric=ndcg@10
  lambdamart cv data=train.txt folds=10 learning_rate=0.05 final_model=model.txt
  lambdamart cv data=train.csv fold_column=name:fold label_column=name:grade group_column=name:query \
      output=cv average_model=average.txt`,
		Refused: map[string]string{"input_model": "folds start from the beginning and do not continue from a model; leave it out"},
		Main: []string{
			"config", "data", "output", "label_column", "group_column", "folds", "fold_file", "fold_column",
			"final_model", "report", "preset", "objective", "num_iterations", "learning_rate", "num_leaves",
			"min_data_in_leaf", "metric", "eval_at", "patience", "stop_metric", "seed", "num_threads",
		},
		New: func() cli.Task { return Default() },
	}
}

// Params are the parameters of cv.
type Params struct {
	Data         string
	Layout       data.Layout
	Output       string // folder
	Folding      folding.Params
	FinalModel   string
	AverageModel string
	Report       string
	Preset       string
	Trees        booster.Params
}

// Default returns the default values.
func Default() *Params {
	return &Params{Layout: data.DefaultLayout(), Folding: folding.Default(5), Preset: preset.None, Trees: booster.DefaultParams()}
}

// Table implements [cli.Task].
func (p *Params) Table() param.Table {
	output := cli.Output(&p.Output)
	output.Help = "Folder of the results; without it, the name of data with -cv at its end."
	return slices.Concat(
		param.Table{cli.Data(&p.Data), output},
		p.Layout.Table(),
		p.Folding.Table(),
		param.Table{
			folding.FinalModel(&p.FinalModel),
			{Name: "average_model", Group: cli.GroupFiles, File: param.Written,
				Help:  "cv: model to write whose scores are the means of those of the folds' models.",
				Value: param.Text(&p.AverageModel)},
			cli.Report(&p.Report),
			learner.PresetRow(&p.Preset),
		},
		p.Trees.Table(),
	)
}

// checkpointInterval is the time between checkpoints of a fold that is being trained.
const checkpointInterval = time.Minute

// Run implements [cli.Task].
func (p *Params) Run(ctx context.Context, env *cli.Env) error {
	err := p.run(ctx, env)
	return folding.Interrupted(ctx, err, "what is done is kept", p.Output, env.Messages)
}

func (p *Params) run(ctx context.Context, env *cli.Env) error {
	if err := p.check(env); err != nil {
		return err
	}
	d, folds, err := p.load(ctx, env)
	if err != nil {
		return err
	}
	defer d.Close()
	single := append(slices.Clone(env.Given), "num_models") // folds train one model each
	choice := learner.Preset{Name: p.Preset, Given: single, Log: env.Messages}
	if err := choice.Apply(&p.Trees, d.Training.Meta, true, p.Trees.Validate); err != nil {
		return err
	}
	result, err := p.crossValidate(ctx, d, folds, env.Messages)
	if err != nil {
		return err
	}
	for _, warning := range result.Warnings {
		env.Messages.Warn(warning)
	}
	paths, err := result.Write(p.Output, d.Training.Meta, folds)
	if err != nil {
		return err
	}
	env.Messages.Emit(cli.WroteEvent{Paths: paths})
	if p.Report != "" {
		write := func(w io.Writer) error { return result.Report(w, d.Training.Meta, folds, p.Data, version.Identity()) }
		if err := cli.SaveFile(p.Report, write, env.Messages); err != nil {
			return err
		}
	}
	if err := result.Table(env.Stdout); err != nil {
		return err
	}
	return p.writeModels(ctx, d, result, env.Messages)
}

// check returns an error for parameters that cannot be right, before anything is read. It names the
// output if the user did not.
func (p *Params) check(env *cli.Env) error {
	if err := cli.CheckPaths("", cli.Input{Parameter: "data", Path: p.Data}); err != nil {
		return err
	}
	if err := folding.CheckBeside(p.Output, p.FinalModel, p.AverageModel, p.Report); err != nil {
		return err
	}
	if p.Report == "-" {
		return cli.Usagef("report=-: name a file of its own for the page")
	}
	if p.Preset == preset.Best {
		return cli.Usagef("preset=best chooses query context by the judgments of all training data, so that the validation of folds would flatter; use preset=auto, beside query_context=rank,zscore if you like")
	}
	if err := p.Trees.Validate(); err != nil {
		return &cli.UsageError{Err: err}
	}
	if err := study.Check(&p.Trees); err != nil {
		return &cli.UsageError{Err: err}
	}
	if err := p.Folding.Check(env); err != nil {
		return err
	}
	if p.Trees.StopRule() == "" {
		return cli.Usagef("no metric decides: name one, as in stop_metric=ndcg@10")
	}
	if err := folding.NameOutput(&p.Output, p.Data, "-cv"); err != nil {
		return err
	}
	for _, caution := range p.Trees.Cautions() {
		env.Messages.Warn(caution)
	}
	folding.WarnOfUnused(env, map[string]string{
		"metric_freq": "every iteration is judged", "stop_set": "the queries of the folds decide",
		"is_provide_training_metric": "training queries are not judged",
	})
	return nil
}

// load reads the data and the folds.
func (p *Params) load(ctx context.Context, env *cli.Env) (*data.Loaded, study.Folds, error) {
	d, err := p.Folding.Load(ctx, env, &p.Trees, p.Layout, p.Data)
	if err != nil {
		return nil, study.Folds{}, err
	}
	folds, err := p.Folding.Folds(ctx, d.Training, p.Layout, p.Trees.NumThreads)
	if err != nil {
		d.Close()
		return nil, folds, err
	}
	folding.RemarkOnRows(&p.Trees, d.Training.Meta, folds, env.Messages)
	return d, folds, nil
}

// crossValidate trains the folds, and shows how far that is.
func (p *Params) crossValidate(ctx context.Context, d *data.Loaded, folds study.Folds, messages *cli.Console) (*study.CVResult, error) {
	program, err := version.Key()
	if err != nil {
		return nil, err
	}
	o := study.CVOptions{Keep: &study.Store{Folder: filepath.Join(p.Output, "folds"), Interval: checkpointInterval, Program: program}}
	o.Event = folding.Show(messages)
	result, err := lambdamart.CrossValidate(ctx, lambdamart.Params{Params: p.Trees}, d, folds, o)
	messages.EndProgress()
	return result, err
}

// writeModels writes the models that are asked for.
func (p *Params) writeModels(ctx context.Context, d *data.Loaded, r *study.CVResult, messages *cli.Console) error {
	if p.AverageModel != "" {
		average, err := r.Average()
		if err != nil {
			return err
		}
		if err := cli.SaveModel(p.AverageModel, average, messages); err != nil {
			return err
		}
	}
	if p.FinalModel == "" {
		return nil
	}
	return folding.TrainFinal(ctx, r.Final(p.Trees), d, p.FinalModel, messages)
}
