package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/training"
)

func newTrain(messages *console) *cobra.Command {
	o := newOptions()
	names := []string{"task", "config", "data", "valid", "output_model", "feature_base", "data_format", "header", "label_column", "group_column", "weight_column", "ignore_column", "profile", "log_json", "verbosity"}
	names = append(names, o.trainingNames()...)
	t := o.tableFor(names...)
	cmd := &cobra.Command{
		Use:   "train data=FILE [key=value]...",
		Short: "Train a model: boosted trees, or a neural ranker",
		Long: `Train a model on judged documents, and judge it on validation sets as it grows: boosted
trees, or with ranker=ranknet and its like a neural network. Each has parameters of its own;
an iteration is a tree, or an epoch.

Data is LETOR text, CSV, TSV, Parquet (a file, or a folder of parts), or what bin
stored; text may be compressed by gzip or zstd, and - is standard input. In a table,
label_column=, group_column= and weight_column= tell the columns, by name or number as
in LightGBM, and all others are features but those of ignore_column=. The companions
.query, .weight, .init and .position are read where they are beside the data.

With patience=50, training ends when the stop metric has not risen for 50
iterations, and the model keeps the best iteration's trees. Ctrl-C ends training
with the iteration at hand and writes the model as far as it is (exit status 130).`,
		Example: `  lambdamart train data=train.txt valid=vali.txt output_model=model.txt
  lambdamart train data=train.txt valid=vali.txt,test.txt num_leaves=63 learning_rate=0.05 \
      num_iterations=1000 stop_metric=ndcg@10 patience=50
  lambdamart train data=train.csv.gz valid=vali.parquet label_column=name:grade group_column=name:query
  lambdamart train --config train.conf --num-threads 4
  lambdamart train --ranker listnet data=train.txt valid=vali.txt hidden_layers=128,64,32 epochs=50 patience=5`,
	}
	return withParameters(cmd, o, t, messages, func(ctx context.Context) error {
		if err := o.chooseRanker(t); err != nil {
			return err
		}
		if o.isNetwork() {
			return o.runTrainNetwork(ctx, cmd.OutOrStdout(), messages)
		}
		return o.runTrain(ctx, cmd.OutOrStdout(), messages)
	})
}

// runTrain trains trees and writes the model. If a signal ends training, it writes the model so far and
// returns the signal as its error.
func (o *options) runTrain(ctx context.Context, stdout io.Writer, messages *console) error {
	if err := o.checkTrain(messages); err != nil {
		return err
	}
	var profile booster.Profile
	all, err := o.load(ctx, &profile, messages)
	if err != nil {
		return interruptedOr(ctx, err)
	}
	defer all.Close()
	messages.emit(o.newReport(all))
	var judged history
	var watch booster.Options
	watch.Round = func(r training.Round) {
		messages.progress(newIterationEvent(r, o.train.NumIterations), o.train.StopRule())
		judged.add(r)
	}
	if o.profile {
		watch.Profile = &profile
	}
	result, err := booster.Train(ctx, o.train, dataOf(all.Training), validationOf(all), nil, watch)
	messages.endProgress()
	if err != nil {
		return interruptedOr(ctx, err)
	}
	if o.profile {
		messages.emit(newProfileEvent(&profile))
	}
	if err := o.finish(result, messages); err != nil {
		return err
	}
	printMetrics(stdout, o, judged, result.Kept, "iterations")
	return interruptedOr(ctx, nil)
}

// checkTrain returns an error for parameters that cannot be right, before anything is read.
func (o *options) checkTrain(messages *console) error {
	inputs := []input{{"data", o.data}}
	for _, path := range o.valid {
		inputs = append(inputs, input{"valid", path})
	}
	if err := checkPaths(o.outputModel, inputs...); err != nil {
		return err
	}
	l := o.learner()
	if i := slices.Index(o.valid, l.shared.StopSet); i >= 0 {
		l.shared.StopSet = data.ValidationSet(i)
	}
	if err := l.params.Validate(); err != nil {
		return &usageError{err}
	}
	if l.shared.Patience > 0 && len(o.valid) == 0 {
		return usagef("patience=%d needs a validation set: give valid=FILE", l.shared.Patience)
	}
	for _, caution := range l.params.Cautions() {
		messages.emit(warningEvent{Message: caution})
	}
	return nil
}

// finish reports why training ended and writes the model.
func (o *options) finish(result *booster.Result, messages *console) error {
	messages.emit(stoppedEvent{Iterations: result.Rounds, Message: fmt.Sprintf("training ended after %d iterations: %s", result.Rounds, result.Stopped)})
	if result.Best > 0 {
		messages.emit(bestEvent{Iteration: result.Best, Watched: result.Watched, Value: number(result.BestValue), Kept: len(result.Model.Trees)})
	}
	if len(result.Model.Trees) == 0 {
		messages.emit(warningEvent{Message: "no tree was grown; no model is written"})
		return nil
	}
	return saveModel(o.outputModel, result.Model, messages)
}

// interruptedOr returns the signal that cancelled ctx or, if there was none, err.
func interruptedOr(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
