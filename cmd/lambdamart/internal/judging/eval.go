package judging

import (
	"context"
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/evaluate"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/param"
)

// Eval returns the entry of the command eval.
func Eval() cli.Command {
	return cli.Command{
		Name:  "eval",
		Use:   "eval data=FILE [input_model=FILE|scores=FILE] | qrels=FILE run=FILE [key=value]...",
		Short: "Judge a ranking: of a model, of scores, of a table, of a TREC run",
		Long: `Judge a ranking of judged documents. Each metric names its convention: what a document
is worth, how ranks are discounted, the value of a query without a relevant document,
and how equal scores are ranked. Several conventions make a table.
` + inputHelp,
		Example: `  lambdamart eval data=test.txt input_model=model.txt
  lambdamart eval data=test.txt scores=scores.txt metric=ndcg@10,map@10 ` +
			`metric_convention=lightgbm,xgboost-,sklearn
  lambdamart eval data=predictions.parquet score_field=prediction target_field=label interval=0.95
  lambdamart eval qrels=qrels.txt run=run.txt metric_convention=trec_eval metric=ndcg@10 ` +
			`per_query=queries.csv`,
		New: func() cli.Task {
			p := &evalParams{common: defaults(), Conventions: []string{metric.Default().Name}}
			p.ScoreColumns = []string{"score"}
			return p
		},
		Peers: true,
	}
}

// evalParams are the parameters of eval, which judges one system.
type evalParams struct {
	common
	Model       string
	Scores      string
	Conventions []string
	PerQuery    string // file to write
	Event       string // whose probability is meant; empty: the model's
	Pairs       string // file; empty: none
	By          string // column, or file, of the segments of queries; empty: none
	Report      string // file to write
}

// Table implements [cli.Task].
func (p *evalParams) Table() param.Table {
	return slices.Concat(
		param.Table{
			cli.Data(&p.Data),
			cli.InputModel(&p.Model),
			scoresRow(bind.Text(&p.Scores)),
		},
		p.inputTable(),
		param.Table{
			{Name: "per_query", Group: cli.GroupJudging, File: param.Written,
				Help:  "CSV file to write: a line for each query, a column for each metric and convention.",
				Value: cli.OwnFile(&p.PerQuery)},
			{Name: "pairs", Group: cli.GroupJudging, File: param.Read,
				Help: "Pairs of documents of the data by which metric=pair_agreement judges, in a file as for train: " +
					"qid,better,worse or qid,better_row,worse_row, and perhaps weight.",
				Value: bind.Text(&p.Pairs)},
			{Name: "by", Group: cli.GroupJudging,
				Help: "Judge parts of the queries too, such as those of each device: a column of the table, whose text " +
					"is the same in all rows of a query, or a CSV file with the columns query and segment. Each part is " +
					"tested against all other queries (Welch's t test, Holm's correction).",
				Value: bind.Text(&p.By)},
			cli.JSON(&p.JSON),
			cli.Tables(&p.Tables),
			cli.Report(&p.Report),
		},
		cli.Without(p.Tests.Table(), "trials"),
		cli.Without(p.metricsTable(), "metric_convention"),
		param.Table{cli.CalibrationLabel(&p.Event), conventionsRow(&p.Conventions)},
	)
}

// Check implements [cli.Checker].
func (p *evalParams) Check(env *cli.Env) error {
	if p.Level == 0 && p.By == "" {
		if err := env.NoEffect("without interval or by", "resamples", "test_seed"); err != nil {
			return err
		}
	}
	return p.common.Check(env)
}

// Run implements [cli.Task].
func (p *evalParams) Run(ctx context.Context, env *cli.Env) error {
	p.single()
	if err := p.adopt(env); err != nil {
		return err
	}
	if !slices.Contains(env.Given, "metric_convention") {
		p.Conventions = []string{p.MetricConvention}
	}
	if err := p.takeReliability(env); err != nil {
		return err
	}
	metrics, conventions, err := p.metricsOf(p.Conventions)
	if err != nil {
		return &cli.UsageError{Err: err}
	}
	if err := p.readPairs(metrics); err != nil {
		return err
	}
	systems, err := p.systems(metrics)
	if err != nil {
		return err
	}
	if len(systems) != 1 {
		return cli.Usagef("give either input_model=FILE or scores=FILE, or one run; lambdamart compare takes " +
			"several")
	}
	of, err := p.segmentsOf(ctx)
	if err != nil {
		return err
	}
	j, err := p.judge(ctx, systems[0], metrics)
	if err != nil {
		return err
	}
	if env.Peers.Rank() > 0 {
		return nil
	}
	return p.report(env, j, conventions, of)
}

// readPairs reads the file of pairs, whose documents are found once the data is there.
func (p *evalParams) readPairs(metrics []metric.Metric) (err error) {
	switch {
	case p.Pairs == "":
		return nil
	case !slices.ContainsFunc(metrics, metric.ReadsPairs):
		return cli.Usagef("pairs=%s: no metric judges by them; give metric=pair_agreement", p.Pairs)
	case p.Model == "" && p.Scores == "":
		return cli.Usagef("pairs=%s: they are of documents of data=FILE with input_model=FILE or scores=FILE",
			p.Pairs)
	case p.env.Peers.Size() > 1:
		return cli.Usagef("pairs=%s: one process reads them, and a launcher has started several", p.Pairs)
	}
	if p.pairs, err = data.ReadPairs(p.Pairs); err != nil {
		return err
	}
	return nil
}

// single sets the lists of systems from eval's own parameters: at most one system of each kind.
func (p *evalParams) single() {
	if p.Data != "" && p.Model == "" && p.Scores == "" && p.Layout.IsTable(p.Data) {
		p.ScoreColumns = p.ScoreColumns[:min(1, len(p.ScoreColumns))]
	} else {
		p.ScoreColumns = nil
	}
	if p.Model != "" {
		p.Models = []string{p.Model}
	}
	if p.Scores != "" {
		p.ScoreFiles = []string{p.Scores}
	}
}

// report writes what was found. of has the segment of each query, or is nil.
func (p *evalParams) report(env *cli.Env, j *evaluate.Judgment, conventions int, of map[string]string) error {
	if p.PerQuery != "" {
		if err := stream.WriteFile(p.PerQuery, j.WriteQueries); err != nil {
			return err
		}
	}
	if out := env.Caller.Output; out != nil {
		if err := j.WriteQueries(out); err != nil {
			return err
		}
	}
	found := judgment{Judgment: j, probabilities: p.asked, event: p.event,
		conventions: conventions, inTable: conventions > 1 || p.Tables != report.StyleText}
	found.remarks = found.withoutValue()
	if j.Reliability != nil {
		found.remarks = append(found.remarks, found.oneOutcome()...)
		if of != nil || p.Level > 0 || p.PerQuery != "" {
			found.remarks = append(found.remarks, "by, interval and per_query are of rankings; "+
				"ece, log_loss and brier judge all documents together")
		}
	}
	if p.Level > 0 {
		found.addIntervals(p.Tests.Options(p.NumThreads))
	}
	var segments []evaluate.Segment
	if of != nil {
		var err error
		if segments, err = j.Segments(of, p.Tests.Options(p.NumThreads)); err != nil {
			return fmt.Errorf("by=%s: %w", p.By, err)
		}
		found.remarks = append(found.remarks, fewInSegments(segments)...)
	}
	d := found.document()
	if segments != nil {
		t := found.segmentTable(segments)
		d.Tables = append(d.Tables, t)
		d.Sections = append(d.Sections, t.Section("Segments",
			"Parts of the queries, each tested against all others.", "Segments"))
	}
	d.Style = p.Tables
	d.MadeBy(cli.Identity())
	env.Messages.Warn(found.remarks...)
	return cli.Show(env, d, p.Report, p.JSON)
}
