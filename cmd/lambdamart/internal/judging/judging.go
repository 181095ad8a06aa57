// Package judging has the commands eval and compare, which judge rankings.
package judging

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
	"github.com/lambdamart/lambdamart/tree"
)

// common are the parameters that eval and compare share: the systems, and the metrics.
type common struct {
	Data   string
	Layout data.Layout
	Part   cli.Part // of models
	Qrels  string

	Models, ScoreFiles, Runs, ScoreColumns []string // the systems, one each

	QueryColumn   string
	TargetColumn  string
	AbsentQueries string // one of the values below

	training.Params             // only the names of metrics, the convention and the threads are used
	LabelGain       metric.Gain // for the conventions that take it from a parameter
	Threshold       float64     // smallest grade of a relevant document; 0: by the convention
	Tests
	JSON   bool
	Tables string // style

	pairs   *data.Pairs // of the documents; nil: none
	byPairs bool        // a metric reads pairs
	docs    bool        // the ids of documents are needed
	asked   []string    // metrics of probabilities
	event   *tree.Event // whose probabilities they judge

	env  *cli.Env                    // of the command
	read map[string]lambdamart.Model // models that have been read, by path
	keep bool                        // the order of the documents
}

// Values of absent_queries.
const (
	absentZero     = "zero"
	absentLeaveOut = "leave_out"
)

func defaults() common {
	return common{
		Layout:        data.DefaultLayout(),
		Part:          cli.DefaultPart(),
		QueryColumn:   "query",
		TargetColumn:  "target",
		AbsentQueries: absentZero,
		Params:        training.DefaultParams(),
		LabelGain:     metric.Exp2(),
		Tests:         DefaultTests(),
		Tables:        report.StyleText,
	}
}

// inputTable returns the parameters of input, except models and score files.
func (p *common) inputTable() param.Table {
	return append(append(p.Layout.Table(), p.Part.Table()...), param.Table{
		{Name: "qrels", Group: cli.GroupJudging, File: param.Read,
			Help:  "TREC qrels: what is relevant to each query; with run=.",
			Value: bind.Text(&p.Qrels)},
		{Name: "run", Aliases: []string{"runs"}, Group: cli.GroupJudging, File: param.Read,
			Help:  "TREC run: what a system ranked; with qrels=.",
			Value: bind.Texts(&p.Runs), Repeat: true},
		{Name: "query_field", Group: cli.GroupJudging,
			Help:  "Column of a table with the id of the query, a text or an integer.",
			Value: bind.Text(&p.QueryColumn)},
		{Name: "target_field", Group: cli.GroupJudging,
			Help:  "Column of a table with the relevance grade.",
			Value: bind.Text(&p.TargetColumn)},
		{Name: "score_field", Aliases: []string{"score_fields"}, Group: cli.GroupJudging,
			Help:  "Column of a table with the score; compare takes several.",
			Value: bind.Texts(&p.ScoreColumns), Repeat: true},
		{Name: "absent_queries", Group: cli.GroupJudging,
			Help: "Queries of the qrels that a run lacks: zero judges them as rankings without documents " +
				"(trec_eval -c), leave_out leaves them out (trec_eval without -c).",
			Value: bind.Choice(&p.AbsentQueries, absentZero, absentLeaveOut)},
	}...)
}

// scoresRow is the row of files of scores.
func scoresRow(value param.Value) param.Parameter {
	return param.Parameter{Name: "scores", Aliases: []string{"input_scores"}, Group: cli.GroupFiles,
		File:  param.Read,
		Help:  "File of scores to judge instead of a model's, one a line in the order of the data.",
		Value: value}
}

// metricsTable returns the parameters of metrics.
func (p *common) metricsTable() param.Table {
	rows := rounds.Table(&p.Params, rounds.Words{Rounds: "iterations"})
	return slices.Concat(
		cli.Rows(rows, "num_threads"),
		param.Table{cli.Training("label_gain", metric.GainValue(&p.LabelGain))},
		cli.Rows(rows, "metric", "eval_at", "metric_convention"),
		param.Table{{Name: "relevance_threshold", Group: rounds.GroupEvaluation,
			Help: "Smallest grade of a relevant document for metrics that ask for one, as trec_eval -l; 0: by the " +
				"convention. metric=map(rel=2) is the same for one metric.",
			Value: bind.Float(&p.Threshold, bind.AtLeast(0.0))}},
	)
}

// allConventions is the value that means every preset.
const allConventions = "all"

// conventionsRow is the row of metric_convention for a command that takes several conventions.
func conventionsRow(dst *[]string) param.Parameter {
	check := func() error {
		if len(*dst) == 0 {
			return errors.New("name at least one convention")
		}
		for _, name := range *dst {
			if _, err := metric.ConventionByName(name, metric.Exp2()); err != nil && name != allConventions {
				return err
			}
		}
		return nil
	}
	row := cli.Training("metric_convention", bind.Checked(bind.Texts(dst), "list of conventions", check))
	row.Repeat = true
	row.Help = "Whose definitions of the metrics, separated by commas; all stands for every one. default is " +
		"LightGBM's with ties averaged."
	return row
}

// adopt takes the convention and the gains that the user did not give from the models, which it reads. All
// models must agree, because one metric judges them.
func (p *common) adopt(env *cli.Env) error {
	p.env, p.read = env, map[string]lambdamart.Model{}
	if p.Data == "-" && len(p.ScoreColumns)+len(p.Models)+len(p.ScoreFiles) > 1 {
		return cli.Usagef("data=-: standard input can be read once only, and each system reads the data; save it " +
			"to a file")
	}
	given := training.Judging{MetricConvention: p.MetricConvention, LabelGain: p.LabelGain}
	first := given
	for i, path := range p.Models {
		m, err := p.readModel(path)
		if err != nil {
			return err
		}
		p.read[path] = m
		j := cli.Judging(m, env.Given, given)
		if i == 0 {
			first = j
		} else if j.MetricConvention != first.MetricConvention || j.LabelGain.String() != first.LabelGain.String() {
			return cli.Usagef("%s was trained with %s, and %s with %s: give metric_convention= and label_gain=, by "+
				"which all are judged", p.Models[0], first, path, j)
		}
	}
	p.MetricConvention, p.LabelGain = first.MetricConvention, first.LabelGain
	return nil
}

// metricsOf returns every metric under every convention: those of the first convention, then those of the
// second, and so on. The word all means every convention that the input supports.
func (p *common) metricsOf(names []string) (all []metric.Metric, conventions int, err error) {
	if len(names) == 1 && names[0] == allConventions {
		names = nil
		for _, c := range metric.Presets() {
			if c.Ties != metric.ByDocument || p.hasDocuments() {
				names = append(names, c.Name)
			}
		}
	}
	named, err := p.named(names)
	if err != nil {
		return nil, 0, err
	}
	for _, named.MetricConvention = range names {
		metrics, err := rounds.Metrics(&named, p.LabelGain)
		if err != nil {
			return nil, 0, err
		}
		all = append(all, metrics...)
	}
	if len(all) == 0 {
		return nil, 0, errors.New("metric= names no metric")
	}
	return all, len(names), nil
}

// Check implements [cli.Checker].
func (p *common) Check(env *cli.Env) error {
	if remark := rounds.EvalAtCaution(&p.Params); remark != "" {
		env.Messages.Warn(remark)
	}
	if p.Qrels == "" {
		return env.NoEffect("without qrels", "absent_queries")
	}
	return nil
}

// named returns the parameters of metrics as they hold for the conventions: trec_eval's ndcg has all ranks.
func (p *common) named(conventions []string) (training.Params, error) {
	named := p.Params
	if len(named.EvalAt) == 0 && slices.Equal(conventions, []string{"trec_eval"}) {
		named.EvalAt = []int{0}
	}
	if p.Threshold == 0 {
		return named, nil
	}
	named.Metric = slices.Clone(named.Metric)
	for i, spec := range named.Metric {
		named.Metric[i] = metric.WithThreshold(spec, p.Threshold)
	}
	if slices.Equal(named.Metric, p.Params.Metric) {
		return named, cli.Usagef("relevance_threshold=%v changes no metric of %s: none asks which documents are "+
			"relevant, or each says so itself", p.Threshold, strings.Join(named.Metric, ","))
	}
	return named, nil
}

// Tests are the parameters of intervals and tests. Level 0 means that no interval is asked for.
type Tests metric.TestOptions

// DefaultTests returns the default values.
func DefaultTests() Tests {
	t := Tests(metric.DefaultTestOptions())
	t.Level = 0
	return t
}

// Table returns the parameters.
func (t *Tests) Table() param.Table {
	return param.Table{
		{Name: "interval", Group: cli.GroupJudging,
			Help:  "Level of the interval over queries, such as 0.95. 0: none; for compare, 0.95.",
			Value: bind.Float(&t.Level, bind.AtLeast(0), bind.AtMost(0.9999))},
		{Name: "resamples", Group: cli.GroupJudging,
			Help:  "Resamples of an interval (symmetric studentized bootstrap).",
			Value: bind.Int(&t.Resamples, bind.AtLeast(2))},
		{Name: "trials", Group: cli.GroupJudging,
			Help:  "Random exchanges of Fisher's randomization test.",
			Value: bind.Int(&t.Trials, bind.AtLeast(1))},
		cli.TestSeed(&t.Seed),
	}
}

// Options returns the parameters for the given number of threads, with the default level if there is none.
func (t Tests) Options(threads int) metric.TestOptions {
	t.Level, t.Workers = cmp.Or(t.Level, metric.DefaultTestOptions().Level), threads
	return metric.TestOptions(t)
}

// inputHelp is the help on what eval and compare can judge, and by which rules.
const inputHelp = `
What can be judged:
  data=FILE input_model=MODEL   LETOR data, or a table of features, ranked by a model
  data=FILE scores=FILE         the same and scores, one a line in the order of the data
  data=TABLE                    CSV, TSV or Parquet with a query, a target and a score in
                                each row (query_field=, target_field=, score_field=);
                                a Parquet file, or a folder of parts as Spark writes it
  qrels=FILE run=FILE           a TREC run
Files may be compressed by gzip or zstd; - is standard input.

A model is judged by the label_gain and the metric_convention of its training, unless these
are given; all models of a comparison must agree.

Rules, each of which is reported where it applies:
  - rows may come in any order; where the rows of a query do not follow each other they
    are sorted in memory;
  - a document without a score, or whose score is NaN, is judged but not ranked: it counts
    in the ideal ranking and takes no rank;
  - a document without a target, or not in the qrels, has relevance 0;
  - a query of the qrels that the run lacks is a ranking without documents, or left out
    (absent_queries=); a query of the run that the qrels lack is left out;
  - a document twice in a query of a run or of qrels is an error.
Memory holds the largest query, a few numbers for each query, and a part of the rows;
it does not grow with the number of rows. Runs in which a query occurs in several places,
and data with weights, are read as a whole.`
