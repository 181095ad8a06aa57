package judging

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/evaluate"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/param"
)

// Compare returns the entry of the command compare.
func Compare() cli.Command {
	return cli.Command{
		Name:  "compare",
		Use:   "compare A B... [data=FILE | qrels=FILE] [key=value]...",
		Short: "Test whether one ranking is better than another",
		Instead: map[string]string{"by": "eval by= judges the parts of one ranking, and its per_query= has the " +
			"values that compare takes"},
		Long: `Compare rankings query by query. The first system is what the others are compared with
(pairs=all compares each with each). For each pair, by the first metric:
  - the difference of the means, B - A, with its interval (interval=0.95);
  - how many queries B wins, ties and loses, and Cohen's d of paired values;
  - three two-sided tests: Student's t, Fisher's randomization, Wilcoxon's signed ranks.
    p is the probability of a difference this large if the systems were the same. With several
    pairs, Holm's correction raises p so that the chance of any false alarm stays at the
    level that p is compared with. Of queries with weights, all but Wilcoxon's test, which
    goes by ranks: docs/metrics.md;
  - the queries that differ most (differing=10), and pictures of all (report=FILE).
report=FILE writes all of it, with a picture of all differences, as one page of HTML.
Differences by further metrics (metric=ndcg@10,map) stand in one table, and Holm's correction
is for all pairs by all metrics. Another table has the churn of each pair: how many results
change, whether for better or worse.
The same test_seed gives the same figures, for any number of threads.

Without data= and qrels=, A and B are files that eval per_query= wrote, and the metric is
the one in them. With qrels=FILE they are TREC runs; with data=FILE they are models
or files of scores and, if the data is a table, columns of scores (a word that is no file).
A query that not all systems have, or that the convention leaves out, is left out for all.
` + inputHelp,
		Example: `  lambdamart compare old.txt new.txt data=test.txt metric=ndcg@10 report=difference.html
  lambdamart compare bm25.run neural.run fused.run qrels=qrels.txt metric=ndcg@10 metric_convention=trec_eval
  lambdamart compare data=predictions.parquet score_field=champion,challenger
  lambdamart compare a.csv b.csv metric=ndcg@10`,
		Words: true,
		New: func() cli.Task {
			p := &compareParams{common: defaults(), Pairs: pairsFirst, Differing: 10, ChurnAt: 10, ChurnP: 0.9}
			p.Metric = []string{"ndcg@10"}
			return p
		},
	}
}

// compareParams are the parameters of compare, which judges two or more systems.
type compareParams struct {
	common
	Pairs     string   // one of the values below
	Differing int      // number of queries to list
	ChurnAt   int      // rank of the overlap; 0: no churn
	ChurnP    float64  // persistence of rank-biased overlap
	Report    string   // page to write
	words     []string // the systems: files, or columns of a table
}

// Values of pairs.
const (
	pairsFirst = "first"
	pairsAll   = "all"
)

// Table implements [cli.Task].
func (p *compareParams) Table() param.Table {
	return slices.Concat(
		param.Table{
			cli.Data(&p.Data),
			several(cli.InputModel(nil), &p.Models),
			several(scoresRow(nil), &p.ScoreFiles),
		},
		p.inputTable(),
		param.Table{cli.JSON(&p.JSON), cli.Tables(&p.Tables)},
		p.Tests.Table(),
		param.Table{
			{Name: "pairs", Group: cli.GroupJudging,
				Help:  "first compares every system with the first one; all compares every pair.",
				Value: bind.Choice(&p.Pairs, pairsFirst, pairsAll)},
			{Name: "differing", Group: cli.GroupJudging,
				Help:  "Queries to list that differ most.",
				Value: bind.Int(&p.Differing, bind.AtLeast(0))},
			{Name: "churn_at", Group: cli.GroupJudging,
				Help: "Ranks whose documents are compared for the churn: overlap@k is the share that both systems have " +
					"there. 0: no churn.",
				Value: bind.Int(&p.ChurnAt, bind.AtLeast(0))},
			{Name: "churn_persistence", Group: cli.GroupJudging,
				Help: "Persistence of rank-biased overlap: the probability with which a reader continues to each next " +
					"rank.",
				Value: bind.Float(&p.ChurnP, bind.Positive(), bind.AtMost(0.9999))},
			cli.Report(&p.Report),
		},
		p.metricsTable(),
	)
}

// several converts a row for one file into a row for a list of files.
func several(row param.Parameter, dst *[]string) param.Parameter {
	row.Value, row.Repeat = bind.Texts(dst), true
	return row
}

// Run implements [cli.Task].
func (p *compareParams) Run(ctx context.Context, env *cli.Env) error {
	p.words = env.Words
	if p.ChurnAt == 0 {
		if err := env.NoEffect("with churn_at=0", "churn_persistence"); err != nil {
			return err
		}
	}
	found, err := p.compare(ctx, env)
	if err != nil {
		return err
	}
	c := found.Comparison
	if remark := c.Pairs[0].Remark(); remark != "" {
		env.Messages.Note(remark)
	}
	if out := env.Caller.Output; out != nil {
		if err := c.WriteQueries(out); err != nil {
			return err
		}
	}
	d := found.document()
	d.Style = p.Tables
	d.MadeBy(cli.Identity())
	return cli.Show(env, d, p.Report, p.JSON)
}

// compare compares the systems by each metric, and corrects the p-values for all of these comparisons.
func (p *compareParams) compare(ctx context.Context, env *cli.Env) (comparison, error) {
	byMetric, judgments, err := p.values(ctx, env)
	if err != nil {
		return comparison{}, err
	}
	if n := len(byMetric[0]); n < 2 {
		return comparison{}, cli.Usagef("%d systems; give two or more to compare", n)
	}
	pairs := evaluate.WithFirst
	if p.Pairs == pairsAll {
		pairs = evaluate.AllPairs
	}
	var all []*evaluate.Comparison
	for i, systems := range byMetric {
		c, err := evaluate.Compare(systems, p.Tests.Options(p.NumThreads), pairs)
		if c != nil && c.Missing > 0 && i == 0 {
			env.Messages.Warn(comparison{Comparison: c}.missing())
		}
		if err != nil {
			return comparison{}, err
		}
		all = append(all, c)
	}
	evaluate.Correct(all...)
	churn, err := p.churn(judgments, all[0].Pairs)
	if errors.Is(err, evaluate.ErrNameless) {
		env.Messages.Note("no churn: " + evaluate.ErrNameless.Error())
	} else if err != nil {
		return comparison{}, err
	}
	return comparison{all[0], all, churn, p.Differing}, nil
}

// churn lists the churn of each pair, if there is any to report.
func (p *compareParams) churn(judgments []*evaluate.Judgment, pairs []evaluate.Pair) (*report.Table, error) {
	if p.ChurnAt == 0 || judgments == nil {
		return nil, nil
	}
	t := &report.Table{Name: "churn", Columns: []report.Column{
		{Name: "pair", For: report.People}, {Name: "a", For: report.Programs}, {Name: "b", For: report.Programs},
		{Name: "queries"}, {Name: "overlap", Head: fmt.Sprint("overlap@", p.ChurnAt), Show: report.As("%.4f")},
		{Name: "rbo", Head: fmt.Sprintf("rank-biased overlap, p=%v", p.ChurnP), Show: report.As("%.4f")},
		{Name: "first_changes", Head: "another first document", Show: report.As("%.4f")}}}
	for _, pair := range pairs {
		a, b := judgments[pair.A], judgments[pair.B]
		c, err := evaluate.Churn(a, b, p.ChurnAt, p.ChurnP)
		if err != nil {
			return nil, err
		}
		t.Add(pairName(pair), a.System, b.System, c.Queries, c.Overlap, c.RBO, c.Moved)
	}
	return t, nil
}

// values returns the values of all systems, by metric, and the judgments, which files of values do not have.
func (p *compareParams) values(ctx context.Context, env *cli.Env) ([][]evaluate.Values, []*evaluate.Judgment,
	error) {
	if err := p.sortSystems(); err != nil {
		return nil, nil, err
	}
	if p.Data == "" && p.Qrels == "" && len(p.Runs) == 0 {
		all, err := p.readAll(env.Given)
		return all, nil, err
	}
	if err := p.adopt(env); err != nil {
		return nil, nil, err
	}
	p.keep = p.ChurnAt > 0
	metrics, _, err := p.metricsOf([]string{p.MetricConvention})
	if err != nil {
		return nil, nil, &cli.UsageError{Err: err}
	}
	systems, err := p.systems(metrics)
	if err != nil {
		return nil, nil, err
	}
	var judgments []*evaluate.Judgment
	byMetric := make([][]evaluate.Values, len(metrics))
	for _, s := range systems {
		j, err := p.judge(ctx, s, metrics)
		if err != nil {
			return nil, nil, err
		}
		judgments = append(judgments, j)
		for i := range byMetric {
			byMetric[i] = append(byMetric[i], j.Values(i))
		}
	}
	return byMetric, judgments, nil
}

// sortSystems adds the words to the systems of their kind.
func (p *compareParams) sortSystems() error {
	if p.Qrels != "" {
		p.Runs = append(p.words, p.Runs...)
		return nil
	}
	if p.Data == "" {
		return nil
	}
	var columns []string // a word that is not a file is a column of a table
	for _, word := range p.words {
		if _, err := os.Stat(word); err != nil && p.Layout.IsTable(p.Data) {
			columns = append(columns, word)
			continue
		}
		isModel, err := lambdamart.IsModel(word)
		switch {
		case err != nil:
			return err
		case isModel:
			p.Models = append(p.Models, word)
		default:
			p.ScoreFiles = append(p.ScoreFiles, word)
		}
	}
	p.ScoreColumns = append(columns, p.ScoreColumns...)
	return nil
}

// readAll reads the values of the systems from per_query= files of eval: by each of metric=, if it is given.
func (p *compareParams) readAll(given []string) (byMetric [][]evaluate.Values, err error) {
	columns, err := p.columns(given)
	for _, column := range columns {
		all, err := p.readValues(column)
		if err != nil {
			return nil, err
		}
		byMetric = append(byMetric, all)
	}
	return byMetric, err
}

// readValues reads a column of a per_query= file of eval for each system.
func (p *compareParams) readValues(column evaluate.Column) ([]evaluate.Values, error) {
	var all []evaluate.Values
	for _, path := range p.words {
		v, err := stream.Read(path, func(r io.Reader, name string) (evaluate.Values, error) {
			return evaluate.ReadQueries(r, name, column)
		})
		if errors.Is(err, evaluate.ErrColumns) {
			return nil, fmt.Errorf("%w by metric= and metric_convention=", err)
		}
		if err != nil {
			return nil, err
		}
		v.System = path
		all = append(all, v)
		column = v.Column // the other files must have the same one
	}
	return all, nil
}

// columns returns the columns selected by metric= and metric_convention=, if they are given, or the only one.
func (p *compareParams) columns(given []string) ([]evaluate.Column, error) {
	var column evaluate.Column
	if slices.Contains(given, "metric_convention") {
		column.Convention = p.MetricConvention
	}
	if !slices.Contains(given, "metric") {
		return []evaluate.Column{column}, nil
	}
	var all []evaluate.Column
	for _, spec := range p.Metric {
		m, err := metric.Parse(spec, metric.Default())
		if err != nil {
			return nil, &cli.UsageError{Err: err}
		}
		column.Metric = m.Name()
		all = append(all, column)
	}
	return all, nil
}
