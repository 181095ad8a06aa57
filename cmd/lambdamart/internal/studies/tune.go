package studies

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/study"
)

// Tune returns the entry of the command.
func Tune() cli.Command {
	return cli.Command{
		Name:  "tune",
		Use:   "tune data=FILE [valid=FILE] [key=value]...",
		Short: "Search for good parameters of boosted trees",
		Long: `Search for good parameters of boosted trees. Trials are judged by the stop metric on valid=, or
else on folds of the data. Parameters that are given keep their values in all trials; those of
search= are searched or, without them, those of a default space that depends on the size of the
data.

The defaults, with the given parameters, are trained first, and the models of preset=auto. Other
trials are drawn at random, nine at a time: all are trained on a third of the folds (or of a
large training set), and the best three on all. A test says whether what was found beats the
defaults.

It prints the best trials. The folder output= gets trials.tsv, train.conf for train, result.json
and report.html. To continue a run that was stopped, start it again.`,
		Example: `  lambdamart tune data=train.txt valid=vali.txt stop_metric=ndcg@10
  lambdamart tune data=train.txt folds=5 max_trainings=60 final_model=model.txt
  lambdamart tune data=train.txt search="num_leaves=7..63 log" search="learning_rate=0.02..0.2 log"
  lambdamart train config=train.txt-tune/train.conf`,
		Refused: map[string]string{"input_model": "trials start from the beginning and do not continue from a " +
			"model; leave it out"},
		Instead: map[string]string{"preset": "its trials begin with the models of preset=auto; leave it out"},
		Main: []string{
			"config", "data", "valid", "output", "label_column", "group_column", "folds", "search",
			"max_trainings", "final_model", "objective", "num_iterations", "patience", "stop_metric", "seed",
			"num_threads",
		},
		Needs:     []string{"data"},
		Folder:    true,
		Functions: true,
		New: func() cli.Task {
			p := &tuneParams{Common: untilStopped("tune", "trials", "trials"), Trials: 30}
			p.cautions = false // the search reports those of its trials
			return p
		},
	}
}

// tuneParams are the parameters of tune.
type tuneParams struct {
	Common
	Search []string // dimensions
	Trials int
}

// Table implements [cli.Task].
func (p *tuneParams) Table() param.Table {
	return p.Common.Table(param.Table{
		{Name: "search", Group: groupStudies,
			Help: "tune: a parameter to search, such as num_leaves=7..127 log, feature_fraction=0.4..1 or " +
				"objective=lambdarank|rank_xendcg. Several are given with commas or several times.",
			Value: bind.Texts(&p.Search), Repeat: true},
		{Name: "max_trainings", Aliases: []string{"n_trials"}, Group: groupStudies,
			Help:  "tune: number of trials, besides the defaults.",
			Value: bind.Int(&p.Trials, bind.AtLeast(1))},
	})
}

// Run implements [cli.Task].
func (p *tuneParams) Run(ctx context.Context, env *cli.Env) error {
	o := study.TuneOptions{Given: env.Caller.Chosen(env.Given), Config: p.given(env), Trials: p.Trials,
		Seed: p.Trees.Seed}
	for _, s := range o.Config {
		if strings.ContainsAny(s.Value, "#\r\n") || strings.TrimSpace(s.Value) != s.Value {
			return cli.Usagef("%s=%s: the file train.conf, which tune writes, cannot hold this value, as # begins "+
				"a comment there: give the file another name", s.Name, s.Value)
		}
	}
	var err error
	if o.Space, err = param.ParseArgs(wholeValues(p.Search)); err != nil {
		return cli.Usagef("search: %w", err)
	}
	for i := range o.Space {
		o.Space[i].Place = "search"
	}
	w, err := p.begin(ctx, env, &o.Options, o.Check)
	if err != nil {
		return err
	}
	defer w.close(ctx)
	p.remarkOnQueries(&w.on, env.Messages)
	r, err := study.Tune(ctx, p.Trees, w.on, o)
	if err != nil {
		return w.failed(err)
	}
	if err := w.write(r); err != nil {
		return err
	}
	return w.final(ctx, r.Params())
}

// wholeValues joins what commas have parted: a value may be a list, as the weighted sum
// "objective=lambdarank|lambdarank:1,query_rmse:.5".
func wholeValues(parts []string) (settings []string) {
	for _, part := range parts {
		if last := len(settings) - 1; last >= 0 && !strings.Contains(part, "=") {
			settings[last] += "," + part
		} else {
			settings = append(settings, part)
		}
	}
	return settings
}

// fewQueries is the number of validation queries below which folds of all queries are better
// (docs/settings.md).
const fewQueries = 100

// remarkOnQueries reports that a validation set is small, if it is.
func (p *tuneParams) remarkOnQueries(on *study.Data, messages *cli.Console) {
	if on.Valid == nil {
		return
	}
	if n := len(on.Valid.Meta.Queries); n < fewQueries {
		messages.Note(fmt.Sprintf("valid=%s has only %s, so trials are compared with a large "+
			"error; put them into data= with the training queries, for folds of all", p.Valid[0],
			wording.Count(n, "query")))
	}
}

// given returns the settings with which train trains as the search did, in the order of the table.
func (p *tuneParams) given(env *cli.Env) (settings []param.Setting) {
	own := append(p.Folding.Table(), cli.Rows(p.Table(), "output", "final_model", "search",
		"max_trainings", "valid")...)
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
