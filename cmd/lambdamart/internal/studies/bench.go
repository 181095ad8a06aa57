package studies

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/judging"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/train"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/study"
)

// Bench returns the entry of the command.
func Bench() cli.Command {
	return cli.Command{
		Name:  "bench",
		Use:   "bench data=FOLDER rankers=NAME,NAME [key=value]...",
		Short: "Compare rankers on your data: train each with several seeds, test, report",
		Long: `Compare rankers on the same data, by the same metric: each is trained with several
seeds on each fold, validation chooses the iteration, and the test queries judge the
result. data= is a folder with the files train, vali and test, or one with folders Fold1,
Fold2, ... of them. Rankers are
` + strings.Join(study.Kinds(), ", ") + `.

It prints a table: the mean with its interval over queries, the standard deviation over
seeds, the difference from the best ranker with its p-value, seconds to train,
microseconds to score a document, and the size of the model. The folder output= gets
report.html with figures, results.tsv, pairs.tsv, queries.tsv, and a file for each training run.

ranker_settings= gives rankers parameters and names of their own:

  rankers=lambdamart,listnet                             rankers with the defaults
  ranker_settings="small=ranknet: hidden_layers=64,32 epochs=50"
  ranker_settings="lambdamart: learning_rate=0.05"

Without rankers=, all that ranker_settings= names are compared. Parameters of training
apply to all rankers that have them, and on the command line replace those of
ranker_settings=. config= names a file that has all of this, a parameter a line. To
continue a run that was stopped, start it again.`,
		Example: `  lambdamart bench data=mq2008 rankers=lambdamart,ranknet,listnet seeds=5 output=mq2008-bench
  lambdamart bench data=mq2008 ranker_settings="small=ranknet: epochs=50, large=ranknet: epochs=500"
  lambdamart bench config=rankers.conf num_iterations=10 epochs=10 seeds=1 output=quick`,
		Main: []string{
			"config", "data", "output", "label_column", "group_column", "rankers",
			"ranker_settings", "seeds", "metric", "interval", "objective", "num_iterations",
			"learning_rate", "num_leaves", "patience", "stop_metric", "num_threads",
		},
		Folder: true,
		New: func() cli.Task {
			p := &benchParams{Layout: data.DefaultLayout(), Seeds: 3, Tables: report.StyleText,
				Tests: judging.DefaultTests(), Learner: train.DefaultLearners()}
			p.Tests.Level = 0.95
			p.Learner.Trees.Metric, p.Learner.Trees.EvalAt = []string{"ndcg@10"}, []int{1, 3, 5, 10, 20}
			return p
		},
	}
}

// benchParams are the parameters of bench.
type benchParams struct {
	Data     string // folder
	Layout   data.Layout
	Output   string   // folder
	Rankers  []string // kinds, or names in Settings
	settings string   // ranker_settings
	Settings []study.RankerSpec
	Seeds    int
	Tables   string // style
	Tests    judging.Tests
	Learner  train.Learners // its metrics and threads apply to the bench, the rest to rankers
}

// Table implements [cli.Task].
func (p *benchParams) Table() param.Table {
	return slices.Concat(
		param.Table{
			helped(cli.Data(&p.Data), "Folder with train, vali and test, or with folders Fold1, Fold2, ... of them."),
			helped(cli.Output(&p.Output), "Folder of the results; without it, the name of data with -bench at its "+
				"end."),
		},
		p.Layout.Table(),
		param.Table{
			{Name: "rankers", Group: cli.GroupBench,
				Help:  "Rankers to compare, by their kinds or by their names in ranker_settings.",
				Value: bind.Texts(&p.Rankers), Repeat: true},
			{Name: "ranker_settings", Group: cli.GroupBench,
				Help: "Rankers with parameters of their own: \"NAME: key=value key=value\", where NAME is a kind, or " +
					"NAME=KIND. A list, or given several times.",
				Value:  bind.Checked(bind.Text(&p.settings), "list of rankers with parameters", p.readSettings),
				Repeat: true},
			{Name: "seeds", Group: cli.GroupBench,
				Help:  "Training runs of each ranker on each fold: with the seeds 1, 2, ... up to this.",
				Value: bind.Int(&p.Seeds, bind.AtLeast(1))},
			cli.Tables(&p.Tables),
		},
		p.Tests.Table(),
		p.trainingTable(),
	)
}

// readSettings reads ranker_settings.
func (p *benchParams) readSettings() (err error) {
	p.Settings, err = rankersOf(p.settings)
	return err
}

// trainingTable returns the parameters of training, with other help for those that have another meaning here.
func (p *benchParams) trainingTable() param.Table {
	t := p.Learner.Table()
	t.Find("metric").Help = "The one metric that decides on validation queries, and by which rankers are " +
		"compared."
	t.Find("eval_at").Help = "Cut-offs at which nDCG is judged too."
	row := t.Find("preset")
	row.Value = presetOfNetworks{row.Value}
	return t
}

// presetOfNetworks is a preset of networks, which also answers names of presets of trees.
type presetOfNetworks struct{ param.Value }

func (v presetOfNetworks) Set(text string) error {
	if err := v.Value.Set(text); err == nil || !slices.Contains(train.PresetsOfTrees, text) {
		return err
	}
	return errors.New("presets of trees are not for bench, where the ranker " + study.KindAuto +
		" is trees of preset=auto; for others, give the parameters that the preset chooses in ranker_settings")
}

// helped returns a row with other help.
func helped(row param.Parameter, help string) param.Parameter {
	row.Help = help
	return row
}

// Run implements [cli.Task].
func (p *benchParams) Run(ctx context.Context, env *cli.Env) error {
	messages := env.Messages
	o, err := p.options(env)
	if err != nil {
		return err
	}
	summary, err := study.Bench(ctx, o)
	messages.EndProgress()
	if err != nil && ctx.Err() != nil {
		messages.Note("finished training runs are kept in " + p.Output + "; the same command continues from there")
	}
	if err != nil {
		return numbersOnly(err)
	}
	if len(summary.Rankers) == 0 {
		return errors.New("no ranker could be trained on all folds with all seeds")
	}
	summary.MadeBy(cli.Identity())
	summary.Style = p.Tables
	paths, err := summary.Save(p.Output)
	if err != nil {
		return err
	}
	if err := summary.Text(env.Stdout); err != nil {
		return err
	}
	messages.Wrote(paths)
	for _, f := range summary.Splits {
		if f.Leaked > 0 {
			messages.Warn(fmt.Sprintf("%s: %s of %s %s the ids of training queries: if "+
				"they are the same, the results are too good",
				f.Name, wording.Thousands(f.Leaked), wording.Count(f.Queries, "test query"),
				wording.Agree(f.Leaked, "has", "have")))
		}
	}
	if n := len(summary.Failed); n > 0 {
		return fmt.Errorf("%s failed; %s left out", wording.Count(n, "training run"),
			wording.Agree(n, "its ranker is", "their rankers are"))
	}
	return nil
}

// options returns the options of the comparison.
func (p *benchParams) options(env *cli.Env) (study.BenchOptions, error) {
	trees := &p.Learner.Trees
	// what applies to the rankers
	t := cli.Without(p.Learner.Table(), "metric", "eval_at", "metric_convention", "label_gain", "num_threads")
	program, err := cli.ProgramKey()
	o := study.BenchOptions{Data: p.Data, Output: p.Output, Rankers: p.chosen(), Seeds: p.Seeds,
		General: settingsIn(t, env.Config), Override: settingsIn(t, env.Line),
		Metric: trees.Metric[0], Cutoffs: trees.EvalAt, Convention: trees.MetricConvention, Gain: trees.LabelGain,
		Tests: p.Tests.Options(trees.NumThreads), Threads: trees.NumThreads, Program: program,
		Files: data.Options{Layout: p.Layout, Workers: trees.NumThreads, Progress: env.Messages.Reading()},
		Log:   env.Messages.Logger(), Progress: show(env.Messages)}
	if err != nil {
		return o, err
	}
	return o, cli.Usage(o.Check())
}

// numbersOnly replaces the advice to use texts as categories, which experiments do not support.
func numbersOnly(err error) error {
	var e *dataset.Error
	if errors.As(err, &e) && strings.Contains(e.Detail, "categorical_feature=") {
		e.Detail = "bench reads numbers alone: write categories as whole numbers, or leave the column out with " +
			"ignore_column"
	}
	return err
}

// Check implements [cli.Checker], and names the output if the user did not.
func (p *benchParams) Check(env *cli.Env) error {
	if p.Data == "" {
		return cli.Usagef("data is missing: give data=FOLDER")
	}
	if len(p.Learner.Trees.Metric) != 1 {
		return cli.Usagef("metric=%s: one metric decides; eval_at= names cut-offs at which nDCG is judged too",
			strings.Join(p.Learner.Trees.Metric, ","))
	}
	if err := p.checkChosen(env.Line); err != nil {
		return err
	}
	return nameOutput(&p.Output, p.Data, "-bench")
}

// checkChosen returns an error if ranker_settings on the command line has a ranker that is not compared.
// Those of a configuration file may be more than rankers= chooses.
func (p *benchParams) checkChosen(line []param.Setting) error {
	given := func(s param.Setting) bool { return s.Name == "ranker_settings" }
	if len(p.Rankers) == 0 || !slices.ContainsFunc(line, given) {
		return nil
	}
	for _, own := range p.Settings {
		if !slices.Contains(p.Rankers, own.Name) {
			return cli.Usagef("ranker_settings: %s is not among the rankers that are compared: add it to rankers=%s, "+
				"or leave rankers= out to compare all of ranker_settings", own.Name, strings.Join(p.Rankers, ","))
		}
	}
	return nil
}

// chosen returns the named rankers, with their parameters, or all that have parameters of their own.
func (p *benchParams) chosen() (chosen []study.RankerSpec) {
	if len(p.Rankers) == 0 {
		return p.Settings
	}
	for _, name := range p.Rankers {
		i := slices.IndexFunc(p.Settings, func(e study.RankerSpec) bool { return e.Name == name })
		if i >= 0 {
			chosen = append(chosen, p.Settings[i])
		} else {
			chosen = append(chosen, study.RankerSpec{Name: name, Kind: name})
		}
	}
	return chosen
}

// settingsIn returns the settings of parameters in t, with names in place of aliases.
func settingsIn(t param.Table, layer []param.Setting) (list []param.Setting) {
	for _, s := range layer {
		if p := t.Find(s.Name); p != nil {
			list = append(list, param.Setting{Name: p.Name, Value: s.Value, Place: s.Place})
		}
	}
	return list
}
