package studies

import (
	"context"
	"slices"
	"time"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/train"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/study"
)

// CV returns the entry of the command.
func CV() cli.Command {
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
		Refused: map[string]string{"input_model": "folds start from the beginning and do not continue from a " +
			"model; leave it out"},
		Main: []string{
			"config", "data", "output", "label_column", "group_column", "folds", "fold_file", "fold_column",
			"final_model", "report", "preset", "objective", "num_iterations", "learning_rate", "num_leaves",
			"min_data_in_leaf", "metric", "eval_at", "patience", "stop_metric", "seed", "num_threads",
		},
		Needs:     []string{"data"},
		Folder:    true,
		Functions: true,
		New: func() cli.Task {
			return &cvParams{Common: defaultCommon("cv", "iterations", "folds"), Preset: study.PresetNone}
		},
	}
}

// cvParams are the parameters of cv.
type cvParams struct {
	Common
	AverageModel string
	Preset       string
}

// Table implements [cli.Task].
func (p *cvParams) Table() param.Table {
	return cli.Without(p.Common.Table(param.Table{
		{Name: "average_model", Group: cli.GroupFiles, File: param.Written,
			Help:  "cv: model to write whose scores are the mean scores of the folds' models.",
			Value: cli.OwnFile(&p.AverageModel)},
		cli.Report(&p.Report),
		train.PresetRow(&p.Preset),
	}), "valid")
}

// Run implements [cli.Task].
func (p *cvParams) Run(ctx context.Context, env *cli.Env) error {
	if err := checkBeside(p.Output, p.AverageModel); err != nil {
		return err
	}
	if p.Preset == study.PresetBest {
		return cli.Usagef("preset=best is the mean of 16 models, and cv trains one a fold; use preset=auto " +
			"query_context=rank,zscore, whose model is like one of them")
	}
	p.cautions = p.Preset == study.PresetNone
	var o study.Options
	w, err := p.begin(ctx, env, &o, o.Check)
	if err != nil {
		return err
	}
	defer w.close(ctx)
	if err := p.choose(env, w.on.Train.Meta); err != nil {
		return err
	}
	o.Keep.Interval = time.Minute // between checkpoints of a fold that is being trained
	r, err := study.CrossValidate(ctx, p.Trees, w.on, o)
	if err != nil {
		return w.failed(err)
	}
	r.Title += " on " + p.Data
	if err := w.write(r); err != nil {
		return err
	}
	if err := p.writeAverage(r, env.Messages); err != nil {
		return err
	}
	return w.final(ctx, r.Final(p.Trees))
}

// choose sets the parameters that the preset chooses for the data.
func (p *cvParams) choose(env *cli.Env, m *dataset.Meta) error {
	caller := env.Caller
	if p.Preset == study.PresetAuto {
		env.Messages.Note("cv judges one model a fold, and train preset=auto averages several models on small " +
			"data, which are usually better; tune judges these")
	}
	single := append(slices.Clone(caller.Chosen(env.Given)), "num_models") // folds train one model each
	check := func() error { return p.Trees.Validate(caller.NewObjective(), caller.Metrics...) }
	choice := train.Preset{Name: p.Preset, Given: single, Log: env.Messages}
	if err := choice.Apply(&p.Trees, m, true, check); err != nil {
		return err
	}
	if p.Preset != study.PresetNone {
		env.Messages.Warn(caller.Cautions(p.Trees, env.Given)...)
	}
	return nil
}

// writeAverage writes the mean of the folds' models, if requested.
func (p *cvParams) writeAverage(r *study.CVResult, messages *cli.Console) error {
	if p.AverageModel == "" {
		return nil
	}
	average, err := r.Average()
	if err != nil {
		return err
	}
	return cli.SaveModel(p.AverageModel, average, messages)
}
