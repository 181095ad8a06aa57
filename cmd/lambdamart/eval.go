package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/lambdamart/lambdamart/io/stream"
)

// inputHelp says what eval and compare can judge, and by which rules.
const inputHelp = `
What can be judged:
  data=FILE input_model=MODEL   LETOR data, or a table of features, ranked by a model
  data=FILE scores=FILE         the same and scores, one a line in the order of the data
  data=TABLE                    CSV, TSV or Parquet with a query, a target and a score in
                                each row (query_field=, target_field=, score_field=);
                                a Parquet file, or a folder of parts as Spark writes it
  qrels=FILE run=FILE           a TREC run
Files may be compressed by gzip or zstd; - is standard input.

Rules, each of which is reported where it applies:
  - rows may come in any order; where the rows of a query do not follow each other they
    are sorted, through a temporary file if there are many (sort_memory=);
  - a document without a score, or whose score is NaN, is judged but not ranked: it counts
    in the ideal ranking and takes no rank;
  - a document without a target, or not in the qrels, has relevance 0;
  - a query of the qrels that the run lacks is a ranking without documents, or left out
    (absent_queries=); a query of the run that the qrels lack is left out;
  - a document twice in a query of a run or of qrels is an error.
Memory holds the largest query, a few numbers for each query, and a part of the rows;
it does not grow with the number of rows. Runs whose queries come back, and data with
weights, are read as a whole.`

func newEval(messages *console) *cobra.Command {
	o := newOptions()
	cmd := &cobra.Command{
		Use:   "eval data=FILE [input_model=FILE|scores=FILE] | qrels=FILE run=FILE [key=value]...",
		Short: "Judge a ranking: of a model, of scores, of a table, of a TREC run",
		Long: `Judge a ranking of judged documents. Each metric names its convention: what a document
is worth, how ranks are discounted, what a query without a relevant document counts,
and how equal scores are ranked. Several conventions make a table.
` + inputHelp,
		Example: `  lambdamart eval data=test.txt input_model=model.txt
  lambdamart eval data=test.txt scores=scores.txt metric=ndcg@10,map@10 metric_convention=lightgbm,xgboost-,sklearn
  lambdamart eval data=predictions.parquet score_field=prediction target_field=label interval=0.95
  lambdamart eval qrels=qrels.txt run=run.txt metric_convention=trec_eval metric=ndcg@10 per_query=queries.csv`,
	}
	table := o.tableFor(append([]string{"per_query"}, inputParameters...)...)
	o.severalConventions(table)
	return withParameters(cmd, o, table, messages, func(ctx context.Context) error {
		return interruptedOr(ctx, o.evalParams().eval(ctx, cmd.OutOrStdout(), messages))
	})
}

// evalParams returns the parameters of eval, which has at most one system of each kind.
func (o *options) evalParams() *judgeParams {
	p := o.judgeParams()
	if p.data != "" && o.inputModel == "" && o.scores == "" && p.isTable() {
		p.scoreColumns = p.scoreColumns[:min(1, len(p.scoreColumns))]
	} else {
		p.scoreColumns = nil
	}
	p.models, p.scoreFiles = nonEmpty(o.inputModel), nonEmpty(o.scores)
	return p
}

func nonEmpty(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

func (p *judgeParams) eval(ctx context.Context, w io.Writer, messages *console) error {
	metrics, conventions, err := p.metricsOf(p.conventions)
	if err != nil {
		return &usageError{err}
	}
	systems, err := p.systems(metrics, messages)
	if err != nil {
		return err
	}
	if len(systems) != 1 {
		return usagef("give either input_model=FILE or scores=FILE, or one run; lambdamart compare takes several")
	}
	if err := checkPaths(p.perQuery, input{"data", p.data + p.qrels}); err != nil {
		return err
	}
	j, err := p.judge(ctx, systems[0], metrics, messages)
	if err != nil {
		return err
	}
	if p.perQuery != "" {
		if err := stream.WriteFile(p.perQuery, j.WriteQueries); err != nil {
			return err
		}
	}
	report := evalReport{Judgment: j, conventions: conventions}
	if p.interval > 0 {
		report.addIntervals(p.tests(), messages)
	}
	if p.json {
		return report.writeJSON(w)
	}
	return report.write(w)
}
