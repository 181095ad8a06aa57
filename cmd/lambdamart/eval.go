package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/stream"
	"github.com/lambdamart/lambdamart/metric"
)

func newEval(messages *console) *cobra.Command {
	o := newOptions()
	cmd := &cobra.Command{
		Use:   "eval data=FILE input_model=FILE|scores=FILE [key=value]...",
		Short: "Judge a model, or given scores, on judged documents",
		Long: `Judge a ranking of judged documents: that of a model, or of scores in a file, one a
line in the order of the data. Each metric names its convention: what a document is
worth, how ranks are discounted, what a query without a relevant document counts,
and how equal scores are ranked.`,
		Example: `  lambdamart eval data=test.txt input_model=model.txt
  lambdamart eval data=test.txt scores=scores.txt metric=ndcg@10 metric_convention=lightgbm`,
	}
	table := o.tableFor("config", "data", "input_model", "scores", "feature_base", "start_iteration_predict", "num_iteration_predict",
		"num_threads", "label_gain", "metric", "eval_at", "metric_convention", "log_json", "verbosity")
	return withParameters(cmd, o, table, messages, func(ctx context.Context) error {
		return interruptedOr(ctx, o.runEval(ctx, cmd.OutOrStdout(), messages))
	})
}

func (o *options) runEval(ctx context.Context, w io.Writer, messages *console) error {
	if err := checkPaths("", input{"data", o.data}); err != nil {
		return err
	}
	if (o.inputModel == "") == (o.scores == "") {
		return usagef("give either input_model=FILE or scores=FILE")
	}
	metrics, err := o.train.Metrics()
	if err != nil {
		return &usageError{err}
	}
	meta, scores, err := o.rank(ctx, messages)
	messages.endProgress()
	if err != nil {
		return err
	}
	results, err := metric.Evaluate(metrics, meta, scores, o.train.NumThreads)
	if err != nil {
		return fmt.Errorf("%s: %w", o.data, err)
	}
	for _, r := range results {
		if _, err := fmt.Fprintln(w, r); err != nil {
			return err
		}
	}
	return nil
}

// rank returns the data and a score for each row, from the model or the file of
// scores.
func (o *options) rank(ctx context.Context, messages *console) (*dataset.Meta, []float64, error) {
	src, err := o.open(o.data, scoringRead, messages)
	if err != nil {
		return nil, nil, err
	}
	defer src.Close()
	if o.scores != "" {
		return rankByFile(ctx, src, o.scores)
	}
	model, _, err := readModel(o.inputModel)
	if err != nil {
		return nil, nil, err
	}
	s, err := o.newScorer(model, src.Workers())
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", o.inputModel, err)
	}
	meta, scores, err := s.scoreAll(ctx, src)
	if err == nil {
		s.remarks(messages)
	}
	return meta, scores, err
}

func rankByFile(ctx context.Context, src dataset.Source, path string) (*dataset.Meta, []float64, error) {
	meta, err := src.Scan(ctx, func(int) bool { return false }, nil)
	if err != nil {
		return nil, nil, err
	}
	scores, err := readScores(path)
	if err == nil && len(scores) != meta.NumRows() {
		err = fmt.Errorf("%s: %d scores for %d rows of data; there must be one a line for each row", path, len(scores), meta.NumRows())
	}
	return meta, scores, err
}

// readScores reads one number a line. Blank lines at the end do not count.
func readScores(path string) ([]float64, error) {
	in, err := stream.Open(path, stream.Options{Once: true})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	r, err := in.Reader()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return parseScores(r, in.Name())
}

func parseScores(r io.Reader, name string) ([]float64, error) {
	var scores []float64
	blank := 0 // blank lines since the last score
	lines := bufio.NewScanner(r)
	for line := 1; lines.Scan(); line++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" {
			blank++
			continue
		}
		score, err := strconv.ParseFloat(text, 64)
		if blank > 0 || err != nil || math.IsNaN(score) {
			return nil, fmt.Errorf("%s:%d: %q is not a score; expected one number a line", name, line-blank, text)
		}
		scores = append(scores, score)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return scores, nil
}
