package main

import (
	"context"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/lambdamart/lambdamart/internal/group"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/metric/significance"
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
		return interruptedOr(ctx, o.runEval(ctx, cmd.OutOrStdout(), messages))
	})
}

func (o *options) runEval(ctx context.Context, w io.Writer, messages *console) error {
	if o.data != "" && o.inputModel == "" && o.scores == "" && o.isTable() {
		o.judging.scoreColumns = o.judging.scoreColumns[:min(1, len(o.judging.scoreColumns))]
	} else {
		o.judging.scoreColumns = nil
	}
	o.judging.models, o.judging.scoreFiles = nonEmpty(o.inputModel), nonEmpty(o.scores)
	metrics, conventions, err := o.metrics()
	if err != nil {
		return &usageError{err}
	}
	rankings, err := o.rankings(metrics, messages)
	if err != nil {
		return err
	}
	if len(rankings) != 1 {
		return usagef("give either input_model=FILE or scores=FILE, or one run; lambdamart compare takes several")
	}
	if err := checkPaths(o.judging.perQuery, input{"data", o.data + o.judging.qrels}); err != nil {
		return err
	}
	j, err := o.judge(ctx, rankings[0], metrics, messages)
	if err != nil {
		return err
	}
	if o.judging.perQuery != "" {
		if err := j.writeQueries(o.judging.perQuery); err != nil {
			return err
		}
	}
	if o.judging.interval > 0 {
		j.addIntervals(o.tests(), messages)
	}
	if o.judging.json {
		return j.writeJSON(w)
	}
	return j.write(w, conventions)
}

func nonEmpty(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// rankings returns what the parameters ask to judge, at least one ranking.
func (o *options) rankings(metrics []metric.Metric, messages *console) ([]ranking, error) {
	if err := o.checkStandardInput(); err != nil {
		return nil, err
	}
	j, docs := &o.judging, needsDocuments(metrics)
	var all []ranking
	switch {
	case (j.qrels == "") != (len(j.runs) == 0):
		return nil, usagef("qrels=FILE and run=FILE belong together")
	case j.qrels != "" && o.data != "":
		return nil, usagef("give either data=FILE or qrels=FILE")
	case j.qrels != "":
		qrels, err := readQrels(j.qrels)
		if err != nil {
			return nil, err
		}
		for _, path := range j.runs {
			all = append(all, o.runRanking(path, qrels))
		}
		return all, nil
	case o.data == "":
		return nil, usagef("data is missing: give data=FILE, or qrels=FILE and run=FILE")
	}
	for _, column := range j.scoreColumns {
		all = append(all, o.tableRanking(column))
	}
	for _, path := range j.models {
		all = append(all, o.modelRanking(path, docs, messages))
	}
	for _, path := range j.scoreFiles {
		all = append(all, o.scoresRanking(path, docs, messages))
	}
	if len(all) == 0 {
		return nil, usagef("give either input_model=FILE or scores=FILE")
	}
	return all, nil
}

// checkStandardInput refuses to read standard input more than once: for several
// files, or for several systems.
func (o *options) checkStandardInput() error {
	j := &o.judging
	systems := slices.Concat(j.runs, j.scoreColumns, j.models, j.scoreFiles)
	shared := []string{o.data, j.qrels}
	if o.data == "-" {
		shared = slices.Repeat(shared[:1], max(1, len(systems)))
	}
	used := 0
	for _, path := range append(shared, systems...) {
		if path == "-" {
			used++
		}
	}
	if used > 1 {
		return usagef("standard input can be read once only; save it to a file")
	}
	return nil
}

func needsDocuments(metrics []metric.Metric) bool {
	for _, m := range metrics {
		if m.Convention().Ties == metric.ByDocument {
			return true
		}
	}
	return false
}

// judgment is a ranking that was judged.
type judgment struct {
	system    string
	queries   []string // ids
	documents []int    // of each query, judged ones that are not ranked included
	results   []metric.Result
	intervals []significance.Interval // by result; nil if not asked for
	odd       oddities
}

// judge judges a ranking.
func (o *options) judge(ctx context.Context, r ranking, metrics []metric.Metric, messages *console) (*judgment, error) {
	judge := &judgeSink{metrics: metrics, workers: o.train.NumThreads}
	defer judge.close()
	j := &judgment{system: r.system}
	err := r.lists(ctx, judge, &j.odd)
	messages.endProgress()
	if err != nil {
		return nil, err
	}
	j.odd.tell(r.system, o.judging.absentQueries, messages)
	j.queries, j.documents, j.results = judge.queries, judge.documents, judge.evaluator.Results()
	return j, nil
}

// judgeSink judges lists as they come.
type judgeSink struct {
	metrics   []metric.Metric
	workers   int
	evaluator *metric.Evaluator
	queries   []string
	documents []int
}

var _ group.Sink = (*judgeSink)(nil)

func (s *judgeSink) Reset() {
	s.close()
	s.evaluator = metric.NewEvaluator(s.metrics, s.workers)
	s.queries, s.documents = nil, nil
}

func (s *judgeSink) Add(lists ...metric.List) error {
	for _, l := range lists {
		s.queries = append(s.queries, l.Query)
		s.documents = append(s.documents, len(l.Labels)+len(l.Unranked))
	}
	return s.evaluator.Add(lists...)
}

func (s *judgeSink) close() {
	if s.evaluator != nil {
		s.evaluator.Close()
	}
}
