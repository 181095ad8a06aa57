package main

import (
	"context"
	"os"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/io/data"
)

// load reads and bins the training data and the validation sets, and tells
// what they are. profile gets the time that takes.
func (o *options) load(ctx context.Context, profile *booster.Profile, messages *console) (*data.Loaded, error) {
	opts := o.loadOptions(messages)
	opts.Loaded = func(s *data.Set) {
		profile.Add(booster.PhaseRead, s.Reading)
		profile.Add(booster.PhaseBin, s.Binning)
		tellSet(s, messages)
	}
	all, err := data.Load(ctx, o.train.BinParams(), opts, o.data, o.valid...)
	if err != nil {
		return nil, asUsage(err)
	}
	if all.Training.Stored {
		o.adopt(all.Params, all.Layout)
	}
	return all, nil
}

// loadOptions are the options of all sets of a training.
func (o *options) loadOptions(messages *console) data.LoadOptions {
	return data.LoadOptions{Layout: o.layout, Given: o.given, Workers: o.train.NumThreads, Progress: messages.reading()}
}

// adopt makes the parameters with which training data was binned the options'.
func (o *options) adopt(p histogram.BinParams, layout data.Layout) {
	o.train.MaxBin, o.train.MinDataInBin, o.train.BinConstructSampleCnt = p.MaxBin, p.MinDataInBin, p.SampleCount
	o.train.UseMissing, o.train.ZeroAsMissing = p.Missing != histogram.MissingNone, p.Missing == histogram.MissingZero
	o.layout = layout
}

// dataOf returns a set as booster takes it.
func dataOf(s *data.Set) booster.Data {
	return booster.Data{Name: s.Name, Meta: s.Meta, Values: s.Bins}
}

// validationOf returns the validation sets as booster takes them.
func validationOf(all *data.Loaded) []booster.Data {
	var sets []booster.Data
	for _, s := range all.Validation {
		sets = append(sets, dataOf(s))
	}
	return sets
}

// tellSet tells what a set is, and what its reader noticed.
func tellSet(s *data.Set, messages *console) {
	tellRemarks(s, messages, func(k data.Kind) bool { return k == data.OtherSeed || k == data.MoreFeatures })
	messages.endProgress()
	var nans []int64 // which are not counted in values that have no bins
	if s.Bins != nil {
		nans = s.Bins.NaNs()
	}
	messages.emit(newDataEvent(s.Name, s.Path, s.Meta, nans, s.Reading+s.Binning))
	tellRemarks(s, messages, func(k data.Kind) bool { return k != data.OtherSeed && k != data.MoreFeatures })
}

// tellRemarks tells the remarks of some kinds.
func tellRemarks(s *data.Set, messages *console, tells func(data.Kind) bool) {
	for _, r := range s.Remarks {
		switch {
		case !tells(r.Kind):
		case r.Kind.IsWarning():
			messages.emit(warningEvent{Message: r.Text})
		default:
			messages.emit(noteEvent{Message: r.Text})
		}
	}
}

// input is a file that a command reads, and the parameter that names it.
type input struct{ parameter, path string }

// checkPaths finds inputs that are not named, and one that the output would
// replace.
func checkPaths(output string, inputs ...input) error {
	for _, in := range inputs {
		if in.path == "" {
			return usagef("%s is missing: give %s=FILE", in.parameter, in.parameter)
		}
		if sameFile(in.path, output) {
			return usagef("%s=%s would be overwritten by the output", in.parameter, in.path)
		}
	}
	return nil
}

func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && infoA.Mode().IsRegular() && os.SameFile(infoA, infoB)
}
