package train

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/training"
)

// networkFile is the file of a network's model if output_model is not given.
const networkFile = "model.nn"

// network trains a network and writes the model. named reports whether the user named its file.
func (r *run) network(ctx context.Context, named bool) error {
	if !named {
		r.OutputModel = networkFile
	}
	if r.InputModel != "" {
		return cli.Usagef("input_model=%s: training continues from models of trees; ranker=%s is a network, "+
			"which starts from the beginning", r.InputModel, r.Ranker)
	}
	if r.Profile {
		return cli.Usagef("profile=true lists the phases of growing trees; ranker=%s is a network", r.Ranker)
	}
	if err := r.check(); err != nil {
		return err
	}
	checkpoints, err := r.checkpoints()
	if err != nil {
		return err
	}
	p := lambdamart.NetworkParams{Params: r.Networks, Data: r.loading}
	p.Data.Loaded = func(s *data.Set) { cli.ShowSet(s, r.messages) }
	all, err := lambdamart.LoadNetworkData(ctx, p, r.Data, r.Valid...)
	if err != nil {
		return cli.Interrupted(ctx, cli.DataError(err))
	}
	r.messages.Emit(r.newNetworkReport(all))
	if all.Training.Meta.Positions != nil {
		r.messages.Warn("the positions of the documents are not used: only trees with objectives of pairs, such " +
			"as lambdarank, learn their biases")
	}
	if all.Training.Meta.SecondLabels != nil {
		r.messages.Warn("the second labels of the data are not used: only objectives of trees read them")
	}
	var judged history
	result, err := lambdamart.TrainNetwork(ctx, p, all,
		lambdamart.OnRound(func(round training.Round) {
			r.messages.Progress(newEpochEvent(round, p.Epochs), p.StopRule())
			judged.Add(round)
		}),
		lambdamart.WithCheckpoints(checkpoints),
		lambdamart.OnStep(func(epoch, done, of int) { r.messages.Within(epoch, p.Epochs, done, of) }),
	)
	r.messages.EndProgress()
	if err != nil {
		return cli.Interrupted(ctx, err)
	}
	if err := r.finishNetwork(result); err != nil {
		return err
	}
	removeCheckpoints(checkpoints, result.Stopped, r.messages)
	r.printMetrics(judged, result.Kept)
	return cli.Interrupted(ctx, nil)
}

// finishNetwork reports why training ended and writes the model.
func (r *run) finishNetwork(result *nnbaseline.Result) error {
	if result.Explosion != nil {
		r.messages.Warn(result.Explosion.Error())
	}
	r.stopped(result.Rounds, result.Kept, result.Stopped, nil)
	if n := result.Skipped; n.SingleDocument+n.EqualLabels > 0 {
		r.messages.Note(fmt.Sprintf("training queries that teach nothing, skipped: %s with one document, %s "+
			"with equal labels",
			wording.Thousands(n.SingleDocument), wording.Thousands(n.EqualLabels)))
	}
	if result.Best > 0 {
		r.messages.Emit(bestEpochEvent{Epoch: result.Best, Watched: result.Watched,
			Value: metric.Value(result.BestValue), Kept: result.Kept})
	}
	if result.Rounds == 0 {
		r.messages.Warn("not even one epoch was done; no model is written")
		return nil
	}
	return cli.SaveModel(r.OutputModel, result.Model, r.messages)
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

func (r *run) newNetworkReport(all *lambdamart.NetworkData) networkReportEvent {
	defaults := DefaultLearners()
	e := networkReportEvent{Ranker: r.Ranker, Layers: slices.Concat([]int{all.Training.Meta.NumFeatures()},
		r.Networks.HiddenLayers, []int{1}),
		StopRule: r.Learner().StopRule(), Changed: Changed(r.NetworkTable(), defaults.NetworkTable())}
	for i, out := range e.Layers[1:] {
		e.Weights += (e.Layers[i] + 1) * out
	}
	for _, d := range append([]nnbaseline.Data{all.Training}, all.Validation...) {
		e.MemoryBytes += 4 * d.Meta.NumRows() * d.Meta.NumFeatures()
	}
	metrics, _ := r.Networks.Metrics()
	e.Metrics, e.Convention = evaluated(metrics)
	return e
}

func (e networkReportEvent) Kind() string { return "report" }
func (e networkReportEvent) Level() int   { return 1 }

func (e networkReportEvent) String() string {
	widths := strings.ReplaceAll(strings.Trim(fmt.Sprint(e.Layers), "[]"), " ", "-")
	s := fmt.Sprintf("%s on a network of %s, %s weights; about %s MB of data in memory", e.Ranker, widths,
		wording.Thousands(e.Weights), wording.Thousands(e.MemoryBytes/1e6+1))
	if e.Convention != "" {
		s += "\nmetrics: " + e.Convention
	}
	return s + "\ntraining ends " + e.StopRule
}

// newEpochEvent returns the event of an epoch of a network's training.
func newEpochEvent(r training.Round, of int) cli.IterationEvent {
	e := cli.NewIterationEvent(r, of)
	e.Network = &cli.EpochFigures{Loss: metric.Value(r.Loss), LearningRate: metric.Value(r.LearningRate),
		Documents: r.Documents}
	return e
}

// bestEpochEvent is the epoch with the best value of the stop metric.
type bestEpochEvent struct {
	Epoch   int          `json:"iteration"`
	Watched string       `json:"watched"`
	Value   metric.Value `json:"value"`
	Kept    int          `json:"epoch_kept"`
}

func (e bestEpochEvent) Kind() string { return "best" }
func (e bestEpochEvent) Level() int   { return 1 }

func (e bestEpochEvent) String() string {
	return fmt.Sprintf("best epoch: %d (%s %.5f); the model has the weights of epoch %d", e.Epoch, e.Watched,
		float64(e.Value), e.Kept)
}
