package train

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/limits"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/study"
	"github.com/lambdamart/lambdamart/training"
	"github.com/lambdamart/lambdamart/tree"
)

// trees trains trees and writes the model. If a signal ends training, it writes the model so far and
// returns the signal as its error.
func (r *run) trees(ctx context.Context) error {
	r.choice = Preset{Name: r.Preset, Given: r.Caller.Chosen(r.Given), Log: r.Messages}
	if err := r.begin(); err != nil {
		return err
	}
	all, err := r.load(ctx)
	if err != nil {
		return r.choice.Refused(err)
	}
	defer all.Close()
	if err := r.prepare(all); err != nil {
		return err
	}
	debug.FreeOSMemory()      // that reading has left behind
	const beginning = 8 << 20 // bytes of garbage while the heap grows to what the rounds need
	spareMemory(r.inUse, max(beginning, garbage(r.inUse)))
	var running context.Context
	running, r.over = context.WithCancel(ctx)
	defer r.over()
	result, err := lambdamart.Train(running, r.params, all)
	runtime.GC() // what only training needed makes room for the text of the model
	r.Messages.EndProgress()
	if err != nil {
		return r.reported(err, all.Training.Meta, r.writeRescued(result))
	}
	var failed error
	if result.Kept > 0 {
		var m lambdamart.Model
		m, failed = r.calibrate(ctx, result.Model)
		result.Model = m.(*tree.Ensemble)
	}
	if err := r.finish(result); err != nil {
		return errors.Join(err, failed)
	}
	return errors.Join(failed, r.writeReport(ctx, all, result))
}

// begin validates everything that can be checked before data is read, and reads the model from which training
// continues.
func (r *run) begin() (err error) {
	r.loading.Given = slices.Concat(r.loading.Given, r.choice.Before(&r.Trees))
	if err := r.check(); err != nil {
		return r.choice.Refused(err)
	}
	if r.Preset == study.PresetNone {
		r.warn()
	}
	if r.checkpoints, err = r.newCheckpoints(); err != nil {
		return err
	}
	r.params.Data = r.loading
	if r.InputModel == "" {
		return nil
	}
	m, err := r.ReadShared(r.InputModel)
	if err != nil {
		return err
	}
	trees, ok := m.(*tree.Ensemble)
	if !ok {
		return cli.Usagef("input_model=%s is a network; training continues from models of trees", r.InputModel)
	}
	r.params.InitialModel = trees
	text := fmt.Sprintf("continuing from %s, which has %s; %s has them and the new ones",
		r.InputModel, wording.Count(len(trees.Trees), "tree"), r.OutputModel)
	r.Messages.Say("continuing", "note: "+text, "message", text, "trees", len(trees.Trees))
	if r.Calibration.Kind == noCalibration {
		cli.TellUncalibrated(trees, nil, r.Messages)
	}
	return nil
}

// load reads and bins the training data and the validation sets, and shows their descriptions.
func (r *run) load(ctx context.Context) (*data.Loaded, error) {
	if err := r.resolve(ctx); err != nil {
		return nil, err
	}
	r.params.Params = r.Trees
	r.params.Data.Loaded = r.Caller.Named(func(s *data.Set) {
		r.profile.Times[booster.PhaseRead] += s.Reading
		r.profile.Times[booster.PhaseBin] += s.Binning
		cli.ShowSet(s, r.Messages)
	})
	all, err := lambdamart.Load(ctx, r.params, r.Data, r.Valid...)
	if err != nil {
		return nil, cli.OpenError(r.InputModel, err)
	}
	err = r.addPairs(all)
	if err == nil && len(all.Validation) > 0 {
		err = r.checkData(r.Valid[0], all.Validation[0].Meta, all.Validation[0].Stored)
	}
	if err != nil {
		all.Close()
		return nil, err
	}
	if all.Training.Stored {
		r.Trees.AdoptBins(all.Params) // for the report
	}
	r.Caller.Show(r.Report != "" || r.Kind != noCalibration, all.Training, all.Validation...)
	return all, nil
}

// prepare sets what depends on the data, and reports remarks before training.
func (r *run) prepare(all *data.Loaded) error {
	r.choice.remarkOnOneModel(&r.Trees, all.Training.Meta)
	if err := r.choice.Apply(&r.Trees, all.Training.Meta, len(r.Valid) > 0, r.validate); err != nil {
		return err
	}
	if r.Preset != study.PresetNone {
		r.warn()
	}
	r.inUse = memory(&r.Trees, all)
	r.reportTrees(all)
	// Stored bins count, although the system can drop their pages: each iteration would read them again.
	if err := limits.Check(r.inUse, "training", "smaller num_leaves= and max_bin= need less, and several "+
		"machines can share the rows"); err != nil {
		return err
	}
	warnings, notes := r.Trees.Remarks(booster.Data{Meta: all.Training.Meta, Values: all.Training.Bins},
		r.Caller.Objective != nil)
	r.Messages.Warn(warnings...)
	r.Messages.Note(notes...)
	remarkOnStopping(&r.Trees, all, r.Messages)
	r.params.Params, r.params.Options = r.Trees, r.observed()
	r.remarkOnPeers = r.countExchange()
	return nil
}

// observed returns the options of the run other than parameters.
func (r *run) observed() (o booster.Options) {
	o.Round, o.Metrics, o.Checkpoints = r.see, r.Caller.Metrics, r.checkpoints
	if o.Objective = r.Caller.NewObjective(); r.Profile {
		o.Profile = &r.profile
	}
	return o
}

// see shows a round of trees, and asks the caller whether training continues.
func (r *run) see(round training.Round) {
	if !r.underWay {
		r.underWay = true
		spareMemory(r.inUse, garbage(r.inUse))
	}
	giveBack(r.inUse, round.Number)
	r.show(round)
	if more := r.Caller.Round; more != nil && !more(round) {
		r.over()
	}
}

// finish reports the result of training, and writes the model.
func (r *run) finish(result *booster.Result) error {
	if r.Profile {
		showProfile(&r.profile, r.Messages)
	}
	if err := r.finishTrees(result); err != nil {
		return err
	}
	r.remarkOnPeers(result.Rounds)
	r.removeCheckpoints(result.Stopped)
	last := r.judged
	if result.Members != nil {
		last = nil
		last.Add(training.Round{Number: result.Kept, Evaluations: result.Evaluations})
	}
	r.printMetrics(last, result.Kept)
	return nil
}

// finishTrees reports why training ended and writes the model.
func (r *run) finishTrees(result *booster.Result) error {
	r.stopped(result.Rounds, result.Kept, result.Stopped, result.Evaluations)
	if result.Best > 0 {
		kept := len(result.Model.Trees)
		text := fmt.Sprintf("best iteration: %d (%s %.5f); the model keeps %s", result.Best, result.Watched,
			result.BestValue, wording.Count(kept, "tree"))
		r.Messages.Say("best", text, "iteration", result.Best, "watched", result.Watched, "value", result.BestValue,
			"trees_kept", kept)
	}
	r.showBounds(result)
	showPositions(r.Messages, result)
	showShares(r.Messages, result)
	for k := range result.Members {
		r.showMember(k, result)
		showPositions(r.Messages, &result.Members[k].Result)
		showShares(r.Messages, &result.Members[k].Result)
	}
	if result.Constant != nil {
		r.Messages.Warn("the model gives all documents the same score: " + result.Constant.Error())
	}
	if result.Kept == 0 {
		r.Messages.Warn("no tree was grown; no model is written")
		return nil
	}
	if r.Peers.Rank() > 0 { // peer 0 writes it
		return nil
	}
	if r.Caller.Output != nil {
		return lambdamart.WriteModelTo(r.Caller.Output, result.Model)
	}
	return cli.SaveModel(r.OutputModel, result.Model, r.Messages)
}

// reportTrees describes the training of trees that is about to begin.
func (r *run) reportTrees(all *data.Loaded) {
	mapper := all.Training.Bins.Mapper
	features := len(mapper.Features)
	varying, bins := mapper.Size()
	least, most := announced(&r.Trees, all, r.inUse, r.params.InitialModel)
	megabytes := wording.Thousands(most/1e6 + 1)
	if least/1e6 < most/1e6 {
		megabytes = wording.Thousands(least/1e6+1) + " to " + megabytes
	}
	counted, _ := cli.CountFeatures(all.Training)
	text := fmt.Sprintf("%s of %s %s, in %s; about %s MB of memory to train", wording.Thousands(varying),
		wording.Count(counted, "feature"), wording.Agree(varying, "varies", "vary"), wording.Count(bins, "bin"),
		megabytes)
	metrics, _ := r.Trees.Metrics(r.Trees.LabelGain, r.Caller.Metrics...)
	r.report(text, metrics, "features", features, "constant_features", features-varying, "bins", bins,
		"memory_bytes", most)
}

// showMember describes a model of an ensemble.
func (r *run) showMember(k int, result *booster.Result) {
	m := &result.Members[k]
	best, watched := "", []any(nil)
	if m.Watched != "" {
		best = fmt.Sprintf(" (best %s %.5f)", m.Watched, m.BestValue)
		watched = []any{"watched", m.Watched}
	}
	text := fmt.Sprintf("model %d of %d: objective=%s, seed %d, %s%s; spread of scores %.6g, values "+
		"times %v", k+1, len(result.Members), m.Objective, m.Seed, wording.Count(len(m.Model.Trees), "tree"), best,
		m.Spread, m.Factor)
	r.Messages.Say("member", text, slices.Concat([]any{"model", k + 1, "of", len(result.Members),
		"objective", m.Objective, "seed", m.Seed, "trees", len(m.Model.Trees), "stopped", m.Stopped}, watched,
		[]any{"value", m.BestValue, "spread", m.Spread, "factor", m.Factor})...)
}

// showShares says how many rows the trees grew on, if training chose that.
func showShares(messages *cli.Console, result *booster.Result) {
	shares := result.ActiveShares
	if len(shares) == 0 {
		return
	}
	sum := 0.0
	for _, share := range shares {
		sum += share
	}
	mean, last := sum/float64(len(shares)), shares[len(shares)-1]
	text := fmt.Sprintf("rows that trees grew on: %.3g %% on average, %.3g %% for the last one", 100*mean,
		100*last)
	messages.Say("shares", text, "mean", mean, "last", last)
}

// remarkOnStopping warns if the training data decides when training stops, because the user gave it as the
// first validation set.
func remarkOnStopping(p *booster.Params, all *data.Loaded, messages *cli.Console) {
	if p.Patience == 0 || p.StopSet != "" || p.AnyMetricStops || len(all.Validation) == 0 {
		return
	}
	if first := all.Validation[0]; sameRows(first, all.Training) {
		text := first.Name + ", which decides when training stops, is the training data, on which metrics hardly " +
			"ever stop rising"
		if len(all.Validation) > 1 {
			text += "; give another set first, or name it in stop_set"
		}
		messages.Warn(text)
	}
}

// sameRows reports whether two sets have the same rows: the labels and queries, and the bins of some rows.
func sameRows(s, other *data.Set) bool {
	if !slices.Equal(s.Meta.Labels, other.Meta.Labels) || len(s.Meta.Queries) != len(other.Meta.Queries) {
		return false
	}
	for i, q := range s.Meta.Queries {
		if other.Meta.Queries[i].Len != q.Len {
			return false
		}
	}
	if s.Bins == nil || other.Bins == nil {
		return s.Bins == other.Bins
	}
	const some = 100
	for row := 0; row < len(s.Meta.Labels); row += 1 + len(s.Meta.Labels)/some {
		for c := range min(len(s.Bins.Columns), len(other.Bins.Columns)) {
			if s.Bins.At(int32(row), int32(c)) != other.Bins.At(int32(row), int32(c)) {
				return false
			}
		}
	}
	return true
}
