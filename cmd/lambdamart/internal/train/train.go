// Package train has the commands that train a model or prepare training: train, bin and refit; the
// parameters of everything that is trained ([Learners]); and the page about a model.
package train

import (
	"context"
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/study"
	"github.com/lambdamart/lambdamart/training"
)

// Command returns the entry of the command.
func Command() cli.Command {
	return cli.Command{
		Name:  "train",
		Use:   "train data=FILE [key=value]...",
		Short: "Train a model: boosted trees, or a neural ranker",
		Long: `Train a model on judged documents, and evaluate it on validation sets as it grows: boosted
trees or, with ranker=ranknet, listnet and others, a neural network. Trees and networks have
parameters of their own; an iteration is a tree or an epoch.

Data is LETOR text, CSV, TSV, Parquet (a file, or a folder of parts), or what bin
stored; text may be compressed by gzip or zstd, and - is standard input. In a table,
label_column=, group_column= and weight_column= choose columns, by name or by number as
in LightGBM; all others are features, except those of ignore_column=. The companions
.query, .weight, .init, .label.NAME and .position of the data files are read where they exist.

With patience=50, training ends when the stop metric has not risen for 50
iterations, and the model keeps the best iteration's trees. Ctrl-C ends training
after the current iteration and writes the model of the trees so far (exit status 130).

With resume=true, a training run that was interrupted continues from the checkpoint beside
output_model, and gives the same model as without the interruption.

With input_model=, training continues a model of this program, LightGBM, XGBoost or
RankLib: scores begin at its scores, bins are those of the new data, and output_model
has its trees and num_iterations new ones.`,
		Example: `  lambdamart train data=train.txt valid=vali.txt preset=auto output_model=model.txt
  lambdamart train data=train.txt valid=vali.txt,test.txt num_leaves=63 learning_rate=0.05 \
      num_iterations=1000 stop_metric=ndcg@10 patience=50
  lambdamart train data=train.csv.gz valid=vali.parquet label_column=name:grade group_column=name:query
  lambdamart train --config train.conf --num-threads 4
  lambdamart train --ranker listnet data=train.txt valid=vali.txt hidden_layers=128,64,32 ` +
			`epochs=50 patience=5`,
		Tasks: []string{"train", "training"},
		Peers: true,
		Main: []string{
			"config", "data", "valid", "output_model", "label_column", "group_column", "ranker", "preset",
			"objective", "num_iterations", "learning_rate", "num_leaves", "min_data_in_leaf", "num_models",
			"query_context", "metric", "eval_at", "patience", "stop_metric", "input_model", "resume",
			"report", "seed", "num_threads",
		},
		Needs:     []string{"data"},
		Functions: true,
		New:       func() cli.Task { return Default() },
	}
}

// Params are the parameters of train.
type Params struct {
	Data        string
	Valid       []string
	InputModel  string      // from which training continues; empty: it starts from the beginning
	Layout      data.Layout // of all sets
	Pairs       string      // file; empty: none
	ValidPairs  []string    // files, one of each validation set; nil: none
	OutputModel string
	Report      string // page to write; empty: none
	Preset      string
	Profile     bool
	Calibration
	Checkpoints
	Learners
}

// Default returns the default values.
func Default() *Params {
	return &Params{OutputModel: "model.txt", Preset: study.PresetNone, Layout: data.DefaultLayout(),
		Calibration: DefaultCalibration(noCalibration), Learners: DefaultLearners(),
		Checkpoints: Checkpoints{Freq: -1, Seconds: 600, Resume: noResume}}
}

// Table implements [cli.Task].
func (p *Params) Table() param.Table {
	return slices.Concat(
		param.Table{
			cli.Data(&p.Data),
			p.RankerRow(),
			cli.Valid(&p.Valid),
			cli.InputModel(&p.InputModel),
			cli.OutputModel(&p.OutputModel),
			cli.Report(&p.Report),
		},
		p.pairsTable(),
		p.Layout.Table(),
		param.Table{
			{Name: "profile", Group: cli.GroupMessages,
				Help:  "Print after training how long each phase took.",
				Value: bind.Bool(&p.Profile)},
			PresetOfBoth(&p.Preset),
		},
		cli.Without(p.Learners.Table(), "preset"),
		p.Checkpoints.Table(),
		p.Calibration.Table(),
	)
}

// Check implements [cli.Checker], for trees or a network.
func (p *Params) Check(env *cli.Env) error {
	if err := p.CheckPreset(p.Preset, slices.Contains(env.Given, "preset")); err != nil {
		return err
	}
	if err := p.Choose(env); err != nil {
		return err
	}
	if err := p.Calibration.check(p, env); err != nil || !p.IsNetwork() {
		return err
	}
	return p.checkNetwork(env)
}

// Run implements [cli.Task].
func (p *Params) Run(ctx context.Context, env *cli.Env) error {
	run := &run{Params: p, Env: env, loading: data.LoadOptions{Layout: p.Layout, Given: env.Given,
		Workers: p.Learner().Shared.NumThreads, Progress: env.Messages.Reading(), Peers: env.Peers}}
	if err := run.readPairs(); err != nil {
		return err
	}
	if p.IsNetwork() {
		return run.network(ctx)
	}
	return run.trees(ctx)
}

// run is a training run.
type run struct {
	*Params
	*cli.Env
	loading     data.LoadOptions      // of all sets
	pairs       []*data.Pairs         // of the training data and the validation sets; nil entries: none
	checkpoints *training.Checkpoints // nil if there are none
	judged      history

	// of trees
	choice        Preset
	params        lambdamart.Params
	profile       booster.Profile
	over          func()          // ends the run for the caller
	inUse         int             // estimate of the memory of training, in bytes
	underWay      bool            // a round has ended
	remarkOnPeers func(trees int) // reports what the peers have exchanged in training
}

// check returns an error for invalid parameters before anything is read.
func (r *run) check() error {
	l := r.Learner()
	if i := slices.Index(r.Valid, l.Shared.StopSet); i >= 0 {
		l.Shared.StopSet = data.ValidationSet(i)
	}
	if err := r.validate(); err != nil {
		return &cli.UsageError{Err: err}
	}
	if l.Shared.Patience > 0 && len(r.Valid) == 0 {
		return cli.Usagef("patience=%d needs a validation set: give valid=FILE", l.Shared.Patience)
	}
	return nil
}

// validate returns the errors of the learner's parameters.
func (r *run) validate() error {
	if r.IsNetwork() {
		return r.Networks.Validate()
	}
	return r.Trees.Validate(r.Caller.NewObjective(), r.Caller.Metrics...)
}

// warn reports parameters that may not do what the user expects.
func (r *run) warn() {
	if r.IsNetwork() {
		r.Messages.Warn(r.Networks.Cautions()...)
	} else {
		r.Messages.Warn(r.Caller.Cautions(r.Trees, r.Given)...)
	}
	if r.Learner().Shared.Patience == 0 {
		r.warnOfStopping()
	}
	if remark := rounds.EvalAtCaution(r.Learner().Shared); remark != "" {
		r.Messages.Warn(remark)
	}
	if r.Kind == noCalibration && slices.Contains(r.Given, "calibration_label") {
		r.Messages.Warn("calibration_label=" + r.Event + " has no effect while calibration=none; set " +
			"calibration=auto")
	}
	if len(r.Valid) > 0 || r.Learner().Shared.IsTrainingMetric || r.Caller.Output != nil {
		return // something is evaluated; Python, which takes the output, warns in its own words
	}
	for _, name := range []string{"metric", "eval_at"} {
		if slices.Contains(r.Given, name) {
			r.Messages.Warn(name + " has no effect, because no data is evaluated; give valid= or " +
				"is_provide_training_metric=true")
		}
	}
}

// warnOfStopping reports parameters of early stopping that have no effect because it is off.
func (r *run) warnOfStopping() {
	p := r.Learner().Shared
	plateau := r.IsNetwork() && r.Networks.Schedule == nnbaseline.Plateau
	// The Python package itself names the caller's first metric.
	own := slices.ContainsFunc(r.Caller.Metrics, func(m metric.Metric) bool { return m.Name() == p.StopMetric })
	if p.StopMetric != "" && !own && !plateau {
		r.Messages.Warn("stop_metric=" + p.StopMetric + " does not end training while patience=0; " +
			"set patience")
	}
	if p.StopSet != "" && !plateau {
		r.Messages.Warn("stop_set=" + p.StopSet + " has no effect while patience=0")
	}
	if p.MinDelta > 0 {
		r.Messages.Warn(fmt.Sprintf("min_delta=%v has no effect while patience=0", p.MinDelta))
	}
}

// show shows a round, and keeps its metrics.
func (r *run) show(round training.Round) {
	l := r.Learner()
	r.Messages.Progress(round, l.Rounds, rounds.StopRule(l.Shared), l.Shared.MetricFreq)
	r.judged.Add(round)
}

// stopped reports why training ended.
func (r *run) stopped(rounds, kept int, reason training.StopReason, ensemble []training.Evaluation) {
	text := fmt.Sprintf("training ended after %d %s: %s", rounds, r.Learner().Unit, reason)
	if n := r.Learner().Models; n > 1 {
		text = fmt.Sprintf("training ended after %s of %s", wording.Count(rounds, "iteration"),
			wording.Count(n, "model"))
		if reason == training.Canceled {
			text += ": " + string(reason)
		}
	}
	fields := []any{"message", text, "iterations", rounds, "reason", reason, "kept", kept}
	if len(ensemble) > 0 {
		fields = append(fields, "evaluations", cli.MetricValues(ensemble))
	}
	r.Messages.Say("stopped", text, fields...)
}

// report describes what is about to begin. fields are about the data and the model.
func (r *run) report(text string, metrics []metric.Metric, fields ...any) {
	var names []string
	convention, ends := "", r.Learner().StopRule()
	for _, m := range metrics {
		names = append(names, m.Name())
		convention = m.Convention().String()
	}
	if convention != "" {
		text += "\nmetrics: " + convention
	}
	r.Messages.Say("report", text+"\ntraining ends "+ends, append(fields, "metrics", names,
		"convention", convention, "stop_rule", ends, "parameters", r.changed())...)
}
