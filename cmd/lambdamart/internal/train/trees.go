package train

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/learner"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/modelpage"
	"github.com/lambdamart/lambdamart/internal/digits"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/training"
)

// trees trains trees and writes the model. If a signal ends training, it writes the model so far and
// returns the signal as its error.
func (r *run) trees(ctx context.Context) error {
	choice := learner.Preset{Name: r.Preset, Given: r.caller.Chosen(r.given), Log: r.messages}
	choice.Before(&r.Trees)
	if err := r.check(); err != nil {
		return choice.Refused(err)
	}
	checkpoints, err := r.checkpoints()
	if err != nil {
		return err
	}
	params, err := r.begin()
	if err != nil {
		return err
	}
	var profile booster.Profile
	all, err := r.load(ctx, &params, &profile)
	if err != nil {
		return cli.Interrupted(ctx, choice.Refused(err))
	}
	defer all.Close()
	r.caller.Show(r.Report != "", all.Training, all.Validation...)
	if err := choice.Apply(&r.Trees, all.Training.Meta, len(r.Valid) > 0, r.validate); err != nil {
		return err
	}
	r.messages.Emit(r.newReport(all))
	if err := learner.CheckMemory(&r.Trees, all); err != nil {
		return err
	}
	own := r.caller.NewObjective()
	learner.RemarkOnData(&r.Trees, all.Training, own != nil, r.messages)
	var judged modelpage.History
	var over atomic.Bool
	options := []lambdamart.TreeOption{lambdamart.OnRound(func(round training.Round) {
		r.messages.Progress(cli.NewIterationEvent(round, r.Trees.NumIterations), r.Trees.StopRule())
		judged.Add(round)
		over.Store(!r.caller.GoesOn(round) || over.Load())
	}), lambdamart.Until(over.Load), lambdamart.WithMetrics(r.caller.Metrics...)}
	if own != nil {
		options = append(options, lambdamart.WithObjective(own))
	}
	if r.Profile {
		options = append(options, lambdamart.WithProfile(&profile))
	}
	if checkpoints != nil {
		options = append(options, lambdamart.WithCheckpoints(checkpoints))
	}
	r.loaded = r.traffic()
	params.Params = r.Trees // those of stored bins, perhaps
	result, err := lambdamart.Train(ctx, params, all, options...)
	r.messages.EndProgress()
	if err != nil {
		return cli.Interrupted(ctx, err)
	}
	if r.Profile {
		r.messages.Emit(newProfileEvent(&profile))
	}
	if err := r.finishTrees(result); err != nil {
		return err
	}
	r.remarkOnRanks(result.Rounds)
	learner.Remove(checkpoints, result.Stopped, r.messages)
	rounds := judged
	if result.Members != nil {
		judged = nil
		judged.Add(training.Round{Number: result.Kept, Evaluations: result.Evaluations})
	}
	r.printMetrics(judged, result.Kept)
	if err := r.writeReport(ctx, all, rounds, result); err != nil {
		return cli.Interrupted(ctx, err)
	}
	return cli.Interrupted(ctx, nil)
}

// begin returns the parameters of the training, with the model that it continues from, if there is one.
func (r *run) begin() (lambdamart.Params, error) {
	p := lambdamart.Params{Params: r.Trees, Data: r.loading}
	if r.InputModel == "" {
		return p, nil
	}
	m, err := cli.ReadShared(r.ranks, r.InputModel, r.messages)
	if err != nil {
		return p, err
	}
	trees, err := learner.InitialModel(r.InputModel, m)
	if err != nil {
		return p, err
	}
	p.InitialModel = trees
	r.messages.Note(fmt.Sprintf("continuing from %s, which has %s trees; %s has them and the new ones", r.InputModel, digits.Thousands(len(trees.Trees)), r.OutputModel))
	return p, nil
}

// load reads and bins the training data and the validation sets, and shows what they are. profile
// gets the time that this takes.
func (r *run) load(ctx context.Context, p *lambdamart.Params, profile *booster.Profile) (*data.Loaded, error) {
	p.Data.Loaded = r.caller.Named(func(s *data.Set) {
		profile.Add(booster.PhaseRead, s.Reading)
		profile.Add(booster.PhaseBin, s.Binning)
		cli.ShowSet(s, r.messages)
	})
	all, err := lambdamart.Load(ctx, *p, r.Data, r.Valid...)
	if err != nil {
		return nil, cli.OpenError(r.InputModel, err)
	}
	if all.Training.Stored {
		r.Trees.AdoptBins(all.Params) // so that the report shows them
	}
	return all, nil
}

// finishTrees reports why training ended and writes the model.
func (r *run) finishTrees(result *booster.Result) error {
	r.stopped(result.Rounds, result.Kept, result.Stopped, result.Evaluations)
	if result.Best > 0 {
		r.messages.Emit(bestEvent{Iteration: result.Best, Watched: result.Watched, Value: digits.Number(result.BestValue), Kept: len(result.Model.Trees)})
	}
	emitPositions(r.messages, result)
	for k := range result.Members {
		r.messages.Emit(newMemberEvent(k, result))
		emitPositions(r.messages, &result.Members[k].Result)
	}
	if result.Constant != nil {
		r.messages.Warn("the model gives all documents the same score: " + result.Constant.Error())
	}
	if result.Kept == 0 {
		r.messages.Warn("no tree was grown; no model is written")
		return nil
	}
	if r.ranks.Rank() > 0 { // rank 0 writes it
		return nil
	}
	if r.caller.Output != nil {
		return lambdamart.WriteModelTo(r.caller.Output, result.Model)
	}
	return cli.SaveModel(r.OutputModel, result.Model, r.messages)
}

// reportEvent describes a training of trees that is about to begin.
type reportEvent struct {
	Features    int      `json:"features"`
	Constant    int      `json:"constant_features"`
	Bins        int      `json:"bins"`
	MemoryBytes int      `json:"memory_bytes"`
	Metrics     []string `json:"metrics"`
	Convention  string   `json:"convention"`
	StopRule    string   `json:"stop_rule"`
	Changed     []string `json:"parameters"` // those that differ from their defaults
}

func (r *run) newReport(all *data.Loaded) reportEvent {
	defaults := booster.DefaultParams()
	e := reportEvent{
		Features: len(all.Mapper.Features),
		Constant: all.Mapper.NumConstant(),
		StopRule: r.Learner().StopRule(),
		Changed:  learner.Changed(r.Trees.Table(), defaults.Table()),
	}
	for i := range all.Mapper.Features {
		if f := &all.Mapper.Features[i]; !f.Constant() {
			e.Bins += f.NumBins()
		}
	}
	e.MemoryBytes = learner.Memory(&r.Trees, all)
	metrics, _ := r.Trees.Metrics(r.caller.Metrics...)
	e.Metrics, e.Convention = evaluated(metrics)
	return e
}

// evaluated returns the names of metrics and their convention, as a report has them.
func evaluated(metrics []metric.Metric) (names []string, convention string) {
	for _, m := range metrics {
		names = append(names, m.Name())
		convention = m.Convention().String()
	}
	return names, convention
}

func (e reportEvent) Kind() string { return "report" }
func (e reportEvent) Level() int   { return 1 }

func (e reportEvent) String() string {
	s := fmt.Sprintf("%d of %d features vary, in %s bins; about %s MB of memory to train", e.Features-e.Constant, e.Features, digits.Thousands(e.Bins), digits.Thousands(e.MemoryBytes/1e6+1))
	if e.Convention != "" {
		s += "\nmetrics: " + e.Convention
	}
	return s + "\ntraining ends " + e.StopRule
}

// bestEvent is the best iteration by the stop metric.
type bestEvent struct {
	Iteration int           `json:"iteration"`
	Watched   string        `json:"watched"`
	Value     digits.Number `json:"value"`
	Kept      int           `json:"trees_kept"`
}

func (e bestEvent) Kind() string { return "best" }
func (e bestEvent) Level() int   { return 1 }

func (e bestEvent) String() string {
	return fmt.Sprintf("best iteration: %d (%s %.5f); the model keeps %d trees", e.Iteration, e.Watched, float64(e.Value), e.Kept)
}
