package main

import (
	"errors"

	"github.com/lambdamart/lambdamart/evaluate"
	"github.com/lambdamart/lambdamart/io/data/scored"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/metric/significance"
	"github.com/lambdamart/lambdamart/param"
)

// judging has the parameters of eval and compare.
type judging struct {
	systems    []string // arguments of compare that are not parameters
	models     []string // of compare; eval has one, in options
	scoreFiles []string // likewise
	runs       []string
	qrels      string

	queryColumn   string
	targetColumn  string
	scoreColumns  []string
	conventions   []string
	absentQueries string
	sortMemory    int // mebibytes

	perQuery  string
	json      bool
	interval  float64
	resamples int
	trials    int
	seed      uint64

	pairs     string
	differing int
	svg       string
}

// Values of absent_queries and pairs.
const (
	absentZero     = "zero"
	absentLeaveOut = "leave_out"

	pairsFirst = "first"
	pairsAll   = "all"
)

// allConventions is the word for every preset.
const allConventions = "all"

func defaultJudging() judging {
	columns, tests := scored.DefaultColumns(), significance.DefaultOptions()
	return judging{
		queryColumn:   columns.Query,
		targetColumn:  columns.Target,
		scoreColumns:  []string{columns.Score},
		conventions:   []string{metric.Default().Name},
		absentQueries: absentZero,
		sortMemory:    evaluate.DefaultSortMemory >> 20,
		resamples:     tests.Resamples,
		trials:        tests.Trials,
		seed:          tests.Seed,
		pairs:         pairsFirst,
		differing:     10,
	}
}

const groupJudging = "Judging"

// table returns the parameters that only eval and compare have.
func (j *judging) table() param.Table {
	return param.Table{
		{Name: "qrels", Group: groupJudging,
			Help:  "TREC qrels: what is relevant to each query; with run=.",
			Value: param.Text(&j.qrels)},
		{Name: "run", Aliases: []string{"runs"}, Group: groupJudging,
			Help:  "TREC run: what a system ranked; with qrels=.",
			Value: param.Texts(&j.runs), Repeat: true},
		{Name: "query_field", Group: groupJudging,
			Help:  "Column of a table that tells the query, a text or an integer.",
			Value: param.Text(&j.queryColumn)},
		{Name: "target_field", Group: groupJudging,
			Help:  "Column of a table with the relevance grade.",
			Value: param.Text(&j.targetColumn)},
		{Name: "score_field", Aliases: []string{"score_fields"}, Group: groupJudging,
			Help:  "Column of a table with the score; compare takes several.",
			Value: param.Texts(&j.scoreColumns), Repeat: true},
		{Name: "absent_queries", Group: groupJudging,
			Help:  "Queries of the qrels that a run lacks: zero judges them as rankings without documents (trec_eval -c), leave_out passes over them (trec_eval without -c).",
			Value: param.Choice(&j.absentQueries, absentZero, absentLeaveOut)},
		{Name: "sort_memory", Group: groupJudging,
			Help:  "Mebibytes for sorting rows whose queries do not follow each other; what does not fit goes to a temporary file.",
			Value: param.Int(&j.sortMemory, param.AtLeast(1))},
		{Name: "per_query", Group: groupJudging,
			Help:  "CSV file to write: a line for each query, a column for each metric and convention.",
			Value: param.Text(&j.perQuery)},
		{Name: "json", Group: groupJudging,
			Help:  "Print results as one JSON object.",
			Value: param.Bool(&j.json)},
		{Name: "interval", Group: groupJudging,
			Help:  "Level of a bootstrap interval, such as 0.95; 0 is none. compare takes 0.95 for 0.",
			Value: param.Float(&j.interval, param.AtLeast(0), param.AtMost(0.9999))},
		{Name: "resamples", Group: groupJudging,
			Help:  "Resamples of a bootstrap interval.",
			Value: param.Int(&j.resamples, param.AtLeast(2))},
		{Name: "trials", Group: groupJudging,
			Help:  "Random exchanges of Fisher's randomization test.",
			Value: param.Int(&j.trials, param.AtLeast(1))},
		{Name: "test_seed", Group: groupJudging,
			Help:  "Seed of intervals and randomization: the same seed gives the same figures.",
			Value: param.Uint64(&j.seed)},
		{Name: "pairs", Group: groupJudging,
			Help:  "first compares every system with the first one; all compares every pair.",
			Value: param.Choice(&j.pairs, pairsFirst, pairsAll)},
		{Name: "differing", Group: groupJudging,
			Help:  "Queries to list that differ most.",
			Value: param.Int(&j.differing, param.AtLeast(0))},
		{Name: "svg", Group: groupJudging,
			Help:  "Picture to write: the differences of two systems, query by query.",
			Value: param.Text(&j.svg)},
	}
}

// inputParameters name what eval and compare judge, and how.
var inputParameters = []string{"config", "data", "input_model", "scores", "feature_base", "start_iteration_predict", "num_iteration_predict",
	"num_threads", "label_gain", "metric", "eval_at", "metric_convention", "qrels", "run", "data_format", "header", "label_column", "group_column", "weight_column", "ignore_column", "query_field", "target_field",
	"score_field", "absent_queries", "sort_memory", "json", "interval", "resamples", "test_seed", "log_json", "verbosity"}

// severalFiles makes a parameter that is one file a list of them.
func severalFiles(p *param.Parameter, dst *[]string) {
	p.Value, p.Repeat = param.Texts(dst), true
}

// severalConventions makes metric_convention a list.
func (o *options) severalConventions(t param.Table) {
	p := t.Find("metric_convention")
	p.Repeat = true
	p.Help = "Whose definitions of the metrics, with commas between; all stands for every one. default is LightGBM's with ties averaged."
	p.Value = param.Checked(param.Texts(&o.judging.conventions), "list of conventions", o.checkConventions)
}

func (o *options) checkConventions() error {
	if len(o.judging.conventions) == 0 {
		return errors.New("name at least one convention")
	}
	for _, name := range o.judging.conventions {
		if name == allConventions {
			continue
		}
		if _, err := metric.ConventionByName(name); err != nil {
			return err
		}
	}
	return nil
}

// judgeParams are the parameters of eval and compare.
type judgeParams struct {
	judging
	data    string
	reading reading
	part    part // of a model
	threads int

	metrics    []string    // names
	cutoffs    []int       // for metrics without one of their own
	gain       metric.Gain // for the conventions that take it from a parameter
	convention string      // of compare; eval has several
	given      []string    // names of the parameters that the user gave
}

func (o *options) judgeParams() *judgeParams {
	return &judgeParams{
		judging: o.judging, data: o.data, reading: o.reading(), part: part{o.firstIteration, o.numIterations}, threads: o.train.NumThreads,
		metrics: o.train.Metric, cutoffs: o.train.EvalAt, gain: o.train.LabelGain, convention: o.train.MetricConvention, given: o.given,
	}
}

// metricsOf returns every metric under every convention: those of the first convention, then those
// of the second, and so on. The word all stands for every convention that the input allows.
func (p *judgeParams) metricsOf(names []string) (all []metric.Metric, conventions int, err error) {
	if len(names) == 1 && names[0] == allConventions {
		names = nil
		for _, c := range metric.Presets() {
			if c.Ties != metric.ByDocument || p.hasDocuments() {
				names = append(names, c.Name)
			}
		}
	}
	var chosen []metric.Convention
	for _, name := range names {
		c, err := metric.ConventionWithGain(name, p.gain)
		if err != nil {
			return nil, 0, err
		}
		chosen = append(chosen, c)
	}
	if all, err = evaluate.Metrics(p.metrics, p.cutoffs, chosen...); err != nil {
		return nil, 0, err
	}
	if len(all) == 0 {
		return nil, 0, errors.New("metric= names no metric")
	}
	return all, len(names), nil
}

func (o *options) tests() significance.Options { return o.judging.tests(o.train.NumThreads) }

func (p *judgeParams) tests() significance.Options { return p.judging.tests(p.threads) }

func (j *judging) tests(threads int) significance.Options {
	t := significance.DefaultOptions()
	t.Resamples, t.Trials, t.Seed, t.Workers = j.resamples, j.trials, j.seed, threads
	if j.interval > 0 {
		t.Level = j.interval
	}
	return t
}
