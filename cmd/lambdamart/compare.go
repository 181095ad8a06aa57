package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lambdamart/lambdamart/evaluate"
	"github.com/lambdamart/lambdamart/io/stream"
	"github.com/lambdamart/lambdamart/metric"
)

func newCompare(messages *console) *cobra.Command {
	o := newOptions()
	cmd := &cobra.Command{
		Use:   "compare A B... [data=FILE | qrels=FILE] [key=value]...",
		Short: "Tell whether one ranking is really better than another",
		Long: `Compare rankings query by query, by one metric. The first system is what the others
are compared with (pairs=all compares each with each). For each pair:
  - the difference of the means, B - A, with a bootstrap interval (interval=0.95);
  - how many queries B wins, ties and loses, and Cohen's d of paired values;
  - three two-sided tests: Student's t, Fisher's randomization, Wilcoxon's signed ranks.
    p is the probability of such a difference if the systems were the same. With several
    pairs, Holm's correction raises p so that the chance of any false alarm stays at the
    level that p is compared with;
  - the queries that differ most (differing=10), and a picture (svg=FILE).
The same test_seed gives the same figures, for any number of threads.

Without data= and qrels=, A and B are files that eval per_query= wrote, and the metric is
the one in them. With qrels=FILE they are TREC runs; with data=TABLE they are columns of
scores; with other data they are models or files of scores. A query that not all systems
have, or that the convention leaves out, is left out for all.
` + inputHelp,
		Example: `  lambdamart compare old.txt new.txt data=test.txt metric=ndcg@10 svg=difference.svg
  lambdamart compare bm25.run neural.run fused.run qrels=qrels.txt metric=ndcg@10 metric_convention=trec_eval
  lambdamart compare data=predictions.parquet score_field=champion,challenger
  lambdamart compare a.csv b.csv metric=ndcg@10`,
	}
	o.train.Metric = []string{"ndcg@10"}
	o.judging.scoreColumns = nil
	t := o.tableFor(append([]string{"trials", "pairs", "differing", "svg"}, inputParameters...)...)
	for name, dst := range map[string]*[]string{"input_model": &o.judging.models, "scores": &o.judging.scoreFiles} {
		severalFiles(t.Find(name), dst)
	}
	withParameters(cmd, o, t, messages, func(ctx context.Context) error {
		return interruptedOr(ctx, o.judgeParams().compare(ctx, cmd.OutOrStdout(), messages))
	})
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		parameters := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return !strings.Contains(arg, "=") })
		o.judging.systems = slices.DeleteFunc(args, func(arg string) bool { return strings.Contains(arg, "=") })
		return run(cmd, parameters)
	}
	return cmd
}

func (p *judgeParams) compare(ctx context.Context, w io.Writer, messages *console) error {
	systems, err := p.values(ctx, messages)
	if err != nil {
		return err
	}
	if len(systems) < 2 {
		return usagef("%d systems; give two or more to compare", len(systems))
	}
	pairs := evaluate.WithFirst
	if p.pairs == pairsAll {
		pairs = evaluate.AllPairs
	}
	c, err := evaluate.Compare(systems, p.tests(), pairs)
	if c != nil && c.Missing > 0 {
		messages.emit(warningEvent{Message: fmt.Sprintf("%s queries are not in all systems: they are left out", thousands(c.Missing))})
	}
	if err != nil {
		return err
	}
	report := compareReport{c}
	if p.svg != "" {
		if err := report.writeSVG(p.svg); err != nil {
			return err
		}
	}
	if p.json {
		return report.writeJSON(w, p.differing)
	}
	return report.write(w, p.differing)
}

// values returns the values of all systems by one metric.
func (p *judgeParams) values(ctx context.Context, messages *console) ([]evaluate.Values, error) {
	if err := p.sortSystems(); err != nil {
		return nil, err
	}
	if p.data == "" && p.qrels == "" && len(p.runs) == 0 {
		return p.readValues()
	}
	metrics, _, err := p.metricsOf([]string{p.convention})
	if err != nil {
		return nil, &usageError{err}
	}
	if len(metrics) != 1 {
		return nil, usagef("compare goes by one metric; metric= and eval_at= name %d", len(metrics))
	}
	systems, err := p.systems(metrics, messages)
	if err != nil {
		return nil, err
	}
	var all []evaluate.Values
	for _, s := range systems {
		j, err := p.judge(ctx, s, metrics, messages)
		if err != nil {
			return nil, err
		}
		if j.Results[0].Weighted {
			messages.emit(noteEvent{Message: "queries have weights: tests and intervals count each query once"})
		}
		all = append(all, j.Values(0))
	}
	return all, nil
}

// sortSystems puts the arguments that are not parameters where they belong.
func (p *judgeParams) sortSystems() error {
	switch {
	case p.qrels != "":
		p.runs = append(p.judging.systems, p.runs...)
	case p.data == "":
	case p.isTable():
		p.scoreColumns = append(p.judging.systems, p.scoreColumns...)
	default:
		for _, path := range p.judging.systems {
			isModel, err := isModel(path)
			if err != nil {
				return err
			}
			if isModel {
				p.models = append(p.models, path)
			} else {
				p.scoreFiles = append(p.scoreFiles, path)
			}
		}
	}
	return nil
}

// readValues reads what eval per_query= wrote for each system.
func (p *judgeParams) readValues() ([]evaluate.Values, error) {
	column, err := p.column()
	if err != nil {
		return nil, err
	}
	var all []evaluate.Values
	for _, path := range p.judging.systems {
		var v evaluate.Values
		err := stream.ReadFile(path, func(r io.Reader, name string) (err error) {
			v, err = evaluate.ReadQueries(r, name, column)
			return err
		})
		if errors.Is(err, evaluate.ErrColumns) {
			return nil, fmt.Errorf("%w by metric= and metric_convention=", err)
		}
		if err != nil {
			return nil, err
		}
		v.System = path
		all = append(all, v)
		column = evaluate.ColumnOf(v) // the other files must have the same one
	}
	return all, nil
}

// column is the choice that metric= and metric_convention= make, as far as they are given.
func (p *judgeParams) column() (column evaluate.Column, err error) {
	if slices.Contains(p.given, "metric") {
		m, err := metric.Parse(p.metrics[0], metric.Default())
		if err != nil || len(p.metrics) > 1 {
			return column, usagef("compare goes by one metric: metric=%s", strings.Join(p.metrics, ","))
		}
		column.Metric = m.Name()
	}
	if slices.Contains(p.given, "metric_convention") {
		column.Convention = p.convention
	}
	return column, nil
}
