package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lambdamart/lambdamart/io/data"
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
		return interruptedOr(ctx, o.predictParams().run(ctx, messages))
	})
}

// predictParams are the parameters of predict.
type predictParams struct {
	data, model, output string
	reading             reading
	part                part
	leaves              bool // the leaf of each tree instead of the score
	contributions       bool // what each feature adds instead of the score
	format, runTag      string
}

func (o *options) predictParams() *predictParams {
	return &predictParams{
		data: o.data, model: o.inputModel, output: o.outputResult,
		reading: o.reading(), part: part{o.firstIteration, o.numIterations},
		leaves: o.leafIndex, contributions: o.contributions,
		format: o.format, runTag: o.runTag,
	}
}

func (p *predictParams) run(ctx context.Context, messages *console) error {
	if err := p.check(); err != nil {
		return err
	}
	model, _, err := readRanker(p.model)
	if err != nil {
		return err
	}
	src, err := p.reading.open(p.data, data.Options{Features: model.features(), NoLabels: true, Docs: p.format == formatTREC, Once: true}, messages)
	if err != nil {
		return err
	}
	defer src.Close()
	write, err := p.writer(model, src)
	if err != nil {
		return fmt.Errorf("%s: %w", p.model, err)
	}
	start := time.Now()
	var summary scoring.Summary
	err = writeOutput(p.output, func(w io.Writer) (err error) {
		summary, err = write(ctx, w)
		return err
	})
	messages.endProgress()
	if err != nil {
		return err
	}
	remark(summary, messages)
	messages.emit(scoredEvent{Documents: summary.Rows, Seconds: number(time.Since(start).Seconds())})
	return nil
}

// check finds what is wrong before anything is read.
func (p *predictParams) check() error {
	if err := checkPaths(p.output, input{"data", p.data}, input{"input_model", p.model}); err != nil {
		return err
	}
	if strings.ContainsAny(p.runTag, " \t\r\n") || p.runTag == "" {
		return usagef("run_tag=%s: must be one word", p.runTag)
	}
	if p.leaves && p.contributions || p.format == formatTREC && (p.leaves || p.contributions) {
		return usagef("format=trec, predict_leaf_index and predict_contrib exclude each other")
	}
	return nil
}

// writer returns a function that writes what is asked for about the rows of src.
func (p *predictParams) writer(model rankingModel, src *data.File) (func(context.Context, io.Writer) (scoring.Summary, error), error) {
	model, err := p.part.take(model, src, p.reading.layout.FeatureBase, ofTrees{p.leaves, "predict_leaf_index"}, ofTrees{p.contributions, "predict_contrib"})
	if err != nil {
		return nil, err
	}
	lines := func(o scoring.Output) func(context.Context, io.Writer) (scoring.Summary, error) {
		return func(ctx context.Context, w io.Writer) (scoring.Summary, error) { return o.WriteLines(ctx, w, src) }
	}
	switch {
	case p.leaves:
		return lines(scoring.Leaves(model.trees)), nil
	case p.contributions:
		return lines(scoring.Contributions(model.trees)), nil
	}
	scorer, err := model.scorer()
	if err != nil {
		return nil, err
	}
	if p.format == formatTREC {
		return func(ctx context.Context, w io.Writer) (scoring.Summary, error) {
			return scoring.WriteRun(ctx, w, src, scorer, p.runTag)
		}, nil
	}
	return lines(scoring.Scores(scorer)), nil
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
