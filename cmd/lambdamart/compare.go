package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/metric/significance"
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
		return interruptedOr(ctx, o.runCompare(ctx, cmd.OutOrStdout(), messages))
	})
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		parameters := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return !strings.Contains(arg, "=") })
		o.judging.systems = slices.DeleteFunc(args, func(arg string) bool { return strings.Contains(arg, "=") })
		return run(cmd, parameters)
	}
	return cmd
}

func (o *options) runCompare(ctx context.Context, w io.Writer, messages *console) error {
	systems, name, err := o.judgeAll(ctx, messages)
	if err != nil {
		return err
	}
	if len(systems) < 2 {
		return usagef("%d systems; give two or more to compare", len(systems))
	}
	c := &comparison{metric: name, tests: o.tests(), systems: systems}
	c.queries, c.values, c.dropped = sameQueries(systems)
	if c.dropped > 0 {
		messages.emit(warningEvent{Message: fmt.Sprintf("%s queries are not in all systems: they are left out", thousands(c.dropped))})
	}
	if err := c.compare(o.judging.pairs == pairsAll); err != nil {
		return err
	}
	if o.judging.svg != "" {
		if err := c.writeSVG(o.judging.svg); err != nil {
			return err
		}
	}
	if o.judging.json {
		return c.writeJSON(w, o.judging.differing)
	}
	return c.write(w, o.judging.differing)
}

// judgeAll judges all systems by one metric, whose name it returns.
func (o *options) judgeAll(ctx context.Context, messages *console) ([]*judgedQueries, string, error) {
	if err := o.sortSystems(); err != nil {
		return nil, "", err
	}
	if o.data == "" && o.judging.qrels == "" && len(o.judging.runs) == 0 {
		return o.readAllQueries()
	}
	metrics, _, err := o.metrics()
	if err != nil {
		return nil, "", &usageError{err}
	}
	if len(metrics) != 1 {
		return nil, "", usagef("compare goes by one metric; metric= and eval_at= name %d", len(metrics))
	}
	rankings, err := o.rankings(metrics, messages)
	if err != nil {
		return nil, "", err
	}
	var systems []*judgedQueries
	name := ""
	for _, r := range rankings {
		j, err := o.judge(ctx, r, metrics, messages)
		if err != nil {
			return nil, "", err
		}
		result := &j.results[0]
		if result.Weighted {
			messages.emit(noteEvent{Message: "queries have weights: tests and intervals count each query once"})
		}
		name = result.Metric + " (" + result.Rules + ")"
		systems = append(systems, &judgedQueries{j.system, j.queries, result.PerQuery})
	}
	return systems, name, nil
}

// sortSystems puts the arguments that are not parameters where they belong.
func (o *options) sortSystems() error {
	j := &o.judging
	switch {
	case j.qrels != "":
		j.runs = append(j.systems, j.runs...)
	case o.data == "":
	case o.isTable():
		j.scoreColumns = append(j.systems, j.scoreColumns...)
	default:
		for _, path := range j.systems {
			isModel, err := isModel(path)
			if err != nil {
				return err
			}
			if isModel {
				j.models = append(j.models, path)
			} else {
				j.scoreFiles = append(j.scoreFiles, path)
			}
		}
	}
	return nil
}

// readAllQueries reads what eval wrote for each system.
func (o *options) readAllQueries() ([]*judgedQueries, string, error) {
	wanted, err := o.wantedColumn()
	if err != nil {
		return nil, "", err
	}
	var systems []*judgedQueries
	for _, path := range o.judging.systems {
		system, column, err := readQueries(path, wanted)
		if err != nil {
			return nil, "", err
		}
		if len(systems) == 0 {
			wanted = column // the others must have the same
		}
		systems = append(systems, system)
	}
	return systems, wanted, nil
}

// wantedColumn is the name of the column that metric= and metric_convention= name,
// as far as they are given.
func (o *options) wantedColumn() (string, error) {
	if !slices.Contains(o.given, "metric") {
		return "", nil
	}
	m, err := metric.Parse(o.train.Metric[0], metric.Default())
	if err != nil || len(o.train.Metric) > 1 {
		return "", usagef("compare goes by one metric: metric=%s", strings.Join(o.train.Metric, ","))
	}
	if slices.Contains(o.given, "metric_convention") {
		return m.Name() + ":" + o.train.MetricConvention, nil
	}
	return m.Name(), nil
}

// comparison is what is found about several systems.
type comparison struct {
	metric  string
	tests   significance.Options
	systems []*judgedQueries
	queries []string    // that all systems have a value for
	values  [][]float64 // by system, then query
	dropped int         // queries that not all systems have
	pairs   []pair
}

// pair is system b against system a.
type pair struct {
	a, b int // numbers of systems
	significance.Comparison
	corrected [3]float64 // P of t, randomization and Wilcoxon, after Holm
}

// compare compares all pairs, or each system with the first.
func (c *comparison) compare(all bool) error {
	for a := range c.systems {
		for b := a + 1; b < len(c.systems); b++ {
			found, err := significance.Compare(c.values[a], c.values[b], c.tests)
			if err != nil {
				return err
			}
			c.pairs = append(c.pairs, pair{a: a, b: b, Comparison: found})
		}
		if !all {
			break
		}
	}
	for test := range 3 {
		p := make([]float64, len(c.pairs))
		for i := range c.pairs {
			p[i] = c.pairs[i].p(test)
		}
		for i, corrected := range significance.Holm(p) {
			c.pairs[i].corrected[test] = corrected
		}
	}
	return nil
}

var testNames = [3]string{"Student's t", "randomization", "Wilcoxon"}

// p is the probability that a test found.
func (p *pair) p(test int) float64 { return p.test(test).P }

func (p *pair) test(test int) significance.Test {
	return [3]significance.Test{p.StudentT, p.Randomization, p.Wilcoxon}[test]
}
