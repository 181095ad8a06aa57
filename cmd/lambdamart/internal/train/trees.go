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
	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/study"
	"github.com/lambdamart/lambdamart/training"
	"github.com/lambdamart/lambdamart/tree"
)

// forest is a run of trees.
type forest struct {
	*run
	choice      Preset
	params      lambdamart.Params
	checkpoints *training.Checkpoints // nil if there are none
	profile     booster.Profile
	judged      history
	over        func() // ends the run for the caller
	inUse       int    // estimate of the memory of training, in bytes
	underWay    bool   // a round has ended

	remarkOnPeers func(trees int) // reports what the peers have exchanged in training
}

// trees trains trees and writes the model. If a signal ends training, it writes the model so far and
// returns the signal as its error.
func (r *run) trees(ctx context.Context) error {
	f := &forest{run: r, choice: Preset{Name: r.Preset, Given: r.Caller.Chosen(r.Given), Log: r.Messages}}
	if err := f.begin(); err != nil {
		return err
	}
	all, err := f.load(ctx)
	if err != nil {
		return f.choice.Refused(err)
	}
	defer all.Close()
	if err := f.prepare(all); err != nil {
		return err
	}
	debug.FreeOSMemory() // that reading has left behind
	f.inUse = memory(&f.Trees, all)
	const beginning = 8 << 20 // bytes of garbage while the heap grows to what the rounds need
	spareMemory(f.inUse, max(beginning, garbage(f.inUse)))
	var running context.Context
	running, f.over = context.WithCancel(ctx)
	defer f.over()
	result, err := lambdamart.Train(running, f.params, all)
	runtime.GC() // what only training needed makes room for the text of the model
	r.Messages.EndProgress()
	if err != nil {
		return f.rescue(result, all.Training.Meta, err)
	}
	var failed error
	if result.Kept > 0 {
		var m lambdamart.Model
		m, failed = f.calibrate(ctx, result.Model)
		result.Model = m.(*tree.Ensemble)
	}
	if err := f.finish(result); err != nil {
		return errors.Join(err, failed)
	}
	return errors.Join(failed, f.writeReport(ctx, all, result))
}

// begin validates everything that can be checked before data is read, and reads the model from which training
// continues.
func (f *forest) begin() (err error) {
	f.loading.Given = slices.Concat(f.loading.Given, f.choice.Before(&f.Trees))
	if err := f.check(); err != nil {
		return f.choice.Refused(err)
	}
	if f.Preset == study.PresetNone {
		f.warn()
	}
	if f.checkpoints, err = f.run.checkpoints(); err != nil {
		return err
	}
	f.params.Data = f.loading
	if f.InputModel == "" {
		return nil
	}
	m, err := f.ReadShared(f.InputModel)
	if err != nil {
		return err
	}
	trees, ok := m.(*tree.Ensemble)
	if !ok {
		return cli.Usagef("input_model=%s is a network; training continues from models of trees", f.InputModel)
	}
	f.params.InitialModel = trees
	text := fmt.Sprintf("continuing from %s, which has %s; %s has them and the new ones",
		f.InputModel, wording.Count(len(trees.Trees), "tree"), f.OutputModel)
	f.Messages.Say("continuing", "note: "+text, "message", text, "trees", len(trees.Trees))
	if f.Calibration.Kind == noCalibration {
		cli.TellUncalibrated(trees, nil, f.Messages)
	}
	return nil
}

// load reads and bins the training data and the validation sets, and shows their descriptions.
func (f *forest) load(ctx context.Context) (*data.Loaded, error) {
	if err := f.resolve(ctx); err != nil {
		return nil, err
	}
	f.params.Params = f.Trees
	f.params.Data.Loaded = f.Caller.Named(func(s *data.Set) {
		f.profile.Times[booster.PhaseRead] += s.Reading
		f.profile.Times[booster.PhaseBin] += s.Binning
		cli.ShowSet(s, f.Messages)
	})
	all, err := lambdamart.Load(ctx, f.params, f.Data, f.Valid...)
	if err != nil {
		return nil, cli.OpenError(f.InputModel, err)
	}
	if err := f.addPairs(all); err != nil {
		all.Close()
		return nil, err
	}
	if all.Training.Stored {
		f.Trees.AdoptBins(all.Params) // for the report
	}
	f.Caller.Show(f.Report != "" || f.Kind != noCalibration, all.Training, all.Validation...)
	return all, nil
}

// prepare sets what depends on the data, and reports remarks before training.
func (f *forest) prepare(all *data.Loaded) error {
	f.choice.remarkOnOneModel(&f.Trees, all.Training.Meta)
	if err := f.choice.Apply(&f.Trees, all.Training.Meta, len(f.Valid) > 0, f.validate); err != nil {
		return err
	}
	if f.Preset != study.PresetNone {
		f.warn()
	}
	if len(all.Validation) > 0 {
		if err := f.checkData(f.Valid[0], all.Validation[0].Meta, all.Validation[0].Stored); err != nil {
			return err
		}
	}
	f.reportTrees(all)
	if err := checkMemory(&f.Trees, all); err != nil {
		return err
	}
	warnings, notes := f.Trees.Remarks(booster.Data{Meta: all.Training.Meta, Values: all.Training.Bins},
		f.Caller.Objective != nil)
	f.Messages.Warn(warnings...)
	f.Messages.Note(notes...)
	remarkOnStopping(&f.Trees, all, f.Messages)
	f.params.Params, f.params.Options = f.Trees, f.observed()
	f.remarkOnPeers = f.countExchange()
	return nil
}

// observed returns the options of the run other than parameters.
func (f *forest) observed() (o booster.Options) {
	o.Round, o.Metrics, o.Checkpoints = f.see, f.Caller.Metrics, f.checkpoints
	if o.Objective = f.Caller.NewObjective(); f.Profile {
		o.Profile = &f.profile
	}
	return o
}

// see shows a round, and asks the caller whether training continues.
func (f *forest) see(round training.Round) {
	if !f.underWay {
		f.underWay = true
		spareMemory(f.inUse, garbage(f.inUse))
	}
	giveBack(f.inUse, round.Number)
	f.Messages.Progress(round, f.Trees.NumIterations, rounds.StopRule(&f.Trees.Params), f.Trees.MetricFreq)
	f.judged.Add(round)
	if more := f.Caller.Round; more != nil && !more(round) {
		f.over()
	}
}

// finish reports the result of training, and writes the model.
func (f *forest) finish(result *booster.Result) error {
	if f.Profile {
		showProfile(&f.profile, f.Messages)
	}
	if err := f.finishTrees(result); err != nil {
		return err
	}
	f.remarkOnPeers(result.Rounds)
	removeCheckpoints(f.checkpoints, result.Stopped, f.Messages)
	last := f.judged
	if result.Members != nil {
		last = nil
		last.Add(training.Round{Number: result.Kept, Evaluations: result.Evaluations})
	}
	f.printMetrics(last, result.Kept)
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
func (f *forest) reportTrees(all *data.Loaded) {
	mapper := all.Training.Bins.Mapper
	features := len(mapper.Features)
	varying, bins := mapper.Size()
	least, most := announced(&f.Trees, all, f.params.InitialModel)
	megabytes := wording.Thousands(most/1e6 + 1)
	if least/1e6 < most/1e6 {
		megabytes = wording.Thousands(least/1e6+1) + " to " + megabytes
	}
	counted, _ := cli.CountFeatures(all.Training)
	text := fmt.Sprintf("%d of %s %s, in %s; about %s MB of memory to train", varying,
		wording.Count(counted, "feature"), wording.Agree(varying, "varies", "vary"), wording.Count(bins, "bin"),
		megabytes)
	metrics, _ := f.Trees.Metrics(f.Trees.LabelGain, f.Caller.Metrics...)
	f.report(text, metrics, "features", features, "constant_features", features-varying, "bins", bins,
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
