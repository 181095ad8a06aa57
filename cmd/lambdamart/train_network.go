package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/io/data/table"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/training"
)

// networkFile is the file of a network's model if output_model is not given.
const networkFile = "model.nn"

// runTrainNetwork trains a network and writes the model. It is runTrain for networks.
func (o *options) runTrainNetwork(ctx context.Context, stdout io.Writer, messages *console) error {
	if !slices.Contains(o.given, "output_model") {
		o.outputModel = networkFile
	}
	if o.profile {
		return usagef("profile=true tells the phases of growing trees; ranker=%s is a network", o.ranker)
	}
	if err := o.checkTrain(messages); err != nil {
		return err
	}
	train, valid, err := o.loadNetworkData(ctx, messages)
	if err != nil {
		return interruptedOr(ctx, err)
	}
	p := o.network
	messages.emit(o.newNetworkReport(train, valid))
	var judged history
	watch := training.Options{
		Round: func(r training.Round) {
			messages.progress(newEpochEvent(r, p.Epochs), p.StopRule())
			judged.add(r)
		},
		Step: func(epoch, done, of int) { messages.within(epoch, p.Epochs, done, of) },
	}
	result, err := nnbaseline.Train(ctx, p, train, valid, watch)
	messages.endProgress()
	if err != nil {
		return interruptedOr(ctx, err)
	}
	if err := o.finishNetwork(result, messages); err != nil {
		return err
	}
	printMetrics(stdout, o, judged, result.Kept, "epochs")
	return interruptedOr(ctx, nil)
}

// loadNetworkData reads the training data and the validation sets.
func (o *options) loadNetworkData(ctx context.Context, messages *console) (train nnbaseline.Data, valid []nnbaseline.Data, err error) {
	opts := o.loadOptions(messages)
	opts.Loaded = func(s *data.Set) { tellSet(s, messages) }
	var sets []nnbaseline.Data
	err = data.Each(ctx, opts, o.data, o.valid, func(ctx context.Context, name string, src dataset.Source) (*dataset.Meta, error) {
		d, err := nnbaseline.Read(ctx, name, src)
		sets = append(sets, d)
		return d.Meta, err
	})
	if err != nil {
		return nnbaseline.Data{}, nil, asUsage(err)
	}
	return sets[0], sets[1:], nil
}

// likeTraining returns the features that data must have: those of the training data or, if train is
// nil, any.
func likeTraining(train *dataset.Meta) *table.Features {
	if train == nil {
		return nil
	}
	return &table.Features{Names: train.Features, Label: train.LabelColumn}
}

// finishNetwork reports why training ended and writes the model.
func (o *options) finishNetwork(result *nnbaseline.Result, messages *console) error {
	if result.Explosion != nil {
		messages.emit(warningEvent{Message: result.Explosion.Error()})
	}
	messages.emit(stoppedEvent{Iterations: result.Rounds, Message: fmt.Sprintf("training ended after %d epochs: %s", result.Rounds, result.Stopped)})
	if n := result.Skipped; n.SingleDocument+n.EqualLabels > 0 {
		messages.emit(noteEvent{Message: fmt.Sprintf("training queries that teach nothing, passed over: %s with one document, %s with equal labels",
			thousands(n.SingleDocument), thousands(n.EqualLabels))})
	}
	if result.Best > 0 {
		messages.emit(bestEpochEvent{Epoch: result.Best, Watched: result.Watched, Value: number(result.BestValue), Kept: result.Kept})
	}
	if result.Rounds == 0 {
		messages.emit(warningEvent{Message: "not even one epoch was done; no model is written"})
		return nil
	}
	return saveFile(o.outputModel, result.Model.Write, messages)
}

// networkReportEvent describes the training of a network that is about to begin.
type networkReportEvent struct {
	Ranker      string   `json:"ranker"`
	Layers      []int    `json:"layers"`
	Weights     int      `json:"weights"`
	MemoryBytes int      `json:"memory_bytes"` // of the data
	Metrics     []string `json:"metrics"`
	Convention  string   `json:"convention"`
	StopRule    string   `json:"stop_rule"`
	Changed     []string `json:"parameters"` // those that differ from their defaults
}

func (o *options) newNetworkReport(train nnbaseline.Data, valid []nnbaseline.Data) networkReportEvent {
	defaults := nnbaseline.DefaultParams()
	e := networkReportEvent{Ranker: o.ranker, Layers: slices.Concat([]int{train.Meta.NumFeatures()}, o.network.HiddenLayers, []int{1}),
		StopRule: o.learner().stopRule(), Changed: changed(networkTable(&o.network), networkTable(&defaults))}
	for i, out := range e.Layers[1:] {
		e.Weights += (e.Layers[i] + 1) * out
	}
	for _, d := range append([]nnbaseline.Data{train}, valid...) {
		e.MemoryBytes += 4 * d.Meta.NumRows() * d.Meta.NumFeatures()
	}
	metrics, _ := o.network.Metrics()
	e.Metrics, e.Convention = evaluated(metrics)
	return e
}

func (e networkReportEvent) kind() string { return "report" }
func (e networkReportEvent) level() int   { return 1 }

func (e networkReportEvent) String() string {
	widths := strings.ReplaceAll(strings.Trim(fmt.Sprint(e.Layers), "[]"), " ", "-")
	s := fmt.Sprintf("%s on a network of %s, %s weights; about %s MB of data in memory", e.Ranker, widths, thousands(e.Weights), thousands(e.MemoryBytes/1e6+1))
	if e.Convention != "" {
		s += "\nmetrics: " + e.Convention
	}
	return s + "\ntraining ends " + e.StopRule
}

// newEpochEvent returns the event of an epoch of a network's training.
func newEpochEvent(r training.Round, of int) iterationEvent {
	e := newIterationEvent(r, of)
	e.Network = &epochFigures{Loss: number(r.Loss), LearningRate: number(r.LearningRate), Documents: r.Documents}
	return e
}

// epochFigures has the figures of an epoch that trees do not have.
type epochFigures struct {
	Loss         number `json:"loss"`
	LearningRate number `json:"learning_rate"`
	Documents    int    `json:"documents"`
}

// bestEpochEvent is the epoch with the best value of the stop metric.
type bestEpochEvent struct {
	Epoch   int    `json:"iteration"`
	Watched string `json:"watched"`
	Value   number `json:"value"`
	Kept    int    `json:"epoch_kept"`
}

func (e bestEpochEvent) kind() string { return "best" }
func (e bestEpochEvent) level() int   { return 1 }

func (e bestEpochEvent) String() string {
	return fmt.Sprintf("best epoch: %d (%s %.5f); the model has the weights of epoch %d", e.Epoch, e.Watched, float64(e.Value), e.Kept)
}
