package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/io/stream"
	"github.com/lambdamart/lambdamart/scoring"
)

func newPredict(messages *console) *cobra.Command {
	o := newOptions()
	cmd := &cobra.Command{
		Use:   "predict data=FILE input_model=FILE [output_result=FILE] [key=value]...",
		Short: "Score documents with a model",
		Long: `Score documents with a model: one score a line in the order of the data, in the
fewest digits that read back to the same number, or a TREC run (format=trec). With
predict_leaf_index a line has the leaf of each tree instead, and with predict_contrib
what each feature adds to the score, and last the mean score (SHAP values), with
tabs between.

The columns of a table are matched to the model's features by name, in any order; one
that the model uses must be there. Labels are not needed.`,
		Example: `  lambdamart predict data=test.txt input_model=model.txt output_result=scores.txt
  lambdamart predict data=test.parquet input_model=model.txt group_column=name:query format=trec
  zstdcat test.zst | lambdamart predict data=- input_model=model.txt format=trec > run.txt`,
	}
	table := o.tableFor("task", "config", "data", "input_model", "output_result", "feature_base", "data_format", "header", "label_column", "group_column", "weight_column", "ignore_column", "format", "run_tag",
		"start_iteration_predict", "num_iteration_predict", "predict_leaf_index", "predict_contrib", "num_threads", "log_json", "verbosity")
	return withParameters(cmd, o, table, messages, func(ctx context.Context) error {
		return interruptedOr(ctx, o.runPredict(ctx, messages))
	})
}

func (o *options) runPredict(ctx context.Context, messages *console) error {
	if err := o.checkPredict(); err != nil {
		return err
	}
	model, _, err := readRanker(o.inputModel)
	if err != nil {
		return err
	}
	src, err := o.open(o.data, scoringRead, model.features(), messages)
	if err != nil {
		return err
	}
	defer src.Close()
	write, err := o.predictor(model, src)
	if err != nil {
		return fmt.Errorf("%s: %w", o.inputModel, err)
	}
	start := time.Now()
	var summary scoring.Summary
	err = stream.WriteFile(o.outputResult, func(w io.Writer) (err error) {
		summary, err = write(ctx, w)
		return err
	})
	messages.endProgress()
	if err != nil {
		return err
	}
	remarks(summary, messages)
	messages.emit(scoredEvent{Documents: summary.Rows, Seconds: number(time.Since(start).Seconds())})
	return nil
}

// predictor returns a function that writes what the options ask for.
func (o *options) predictor(model rankingModel, src *data.File) (func(context.Context, io.Writer) (scoring.Summary, error), error) {
	model, err := o.modelFor(model, src)
	if err != nil {
		return nil, err
	}
	var output scoring.Output
	switch {
	case o.leafIndex:
		output = scoring.Leaves(model.trees)
	case o.contributions:
		output = scoring.Contributions(model.trees)
	default:
		scorer, err := model.scorer()
		if err != nil {
			return nil, err
		}
		if o.format == formatTREC {
			return func(ctx context.Context, w io.Writer) (scoring.Summary, error) {
				return scoring.WriteRun(ctx, w, src, scorer, o.runTag)
			}, nil
		}
		output = scoring.Scores(scorer)
	}
	return func(ctx context.Context, w io.Writer) (scoring.Summary, error) { return output.WriteLines(ctx, w, src) }, nil
}

// checkPredict finds what is wrong before anything is read.
func (o *options) checkPredict() error {
	if err := checkPaths(o.outputResult, input{"data", o.data}, input{"input_model", o.inputModel}); err != nil {
		return err
	}
	if strings.ContainsAny(o.runTag, " \t\r\n") || o.runTag == "" {
		return usagef("run_tag=%s: must be one word", o.runTag)
	}
	if o.leafIndex && o.contributions || o.format == formatTREC && (o.leafIndex || o.contributions) {
		return usagef("format=trec, predict_leaf_index and predict_contrib exclude each other")
	}
	return nil
}

// scoredEvent says how fast documents were scored, reading and writing included.
type scoredEvent struct {
	Documents int    `json:"documents"`
	Seconds   number `json:"seconds"`
}

func (e scoredEvent) kind() string { return "scored" }
func (e scoredEvent) level() int   { return 1 }

func (e scoredEvent) String() string {
	rate := float64(e.Documents) / max(float64(e.Seconds), 1e-9)
	return fmt.Sprintf("%s documents in %.3g s (%s a second)", thousands(e.Documents), float64(e.Seconds), thousands(int64(rate)))
}
