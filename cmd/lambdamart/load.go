package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/io/data/binned"
	"github.com/lambdamart/lambdamart/io/data/table"
)

// trainingSet is the name of the training data in messages, and validationSet
// that of validation set number i, from 0. LightGBM has the same names.
const trainingSet = "training"

func validationSet(i int) string { return fmt.Sprintf("valid_%d", i+1) }

// loaded is all data of a training.
type loaded struct {
	mapper *histogram.Mapper
	train  booster.Data
	valid  []booster.Data

	names   []string         // of the features of mapper
	label   int              // column of the label in the training data
	files   []*binned.File   // that are mapped
	profile *booster.Profile // gets the time that reading and binning take
}

// close releases the data.
func (l *loaded) close() {
	for _, f := range l.files {
		f.Close()
	}
}

// load reads and bins the training data and the validation sets, and tells
// what they are. profile gets the time that takes.
func (o *options) load(ctx context.Context, profile *booster.Profile, messages *console) (*loaded, error) {
	l := &loaded{profile: profile}
	err := o.loadInto(ctx, l, messages)
	if err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

func (o *options) loadInto(ctx context.Context, l *loaded, messages *console) (err error) {
	if l.train, err = o.loadTraining(ctx, l, messages); err != nil {
		return err
	}
	for i, path := range o.valid {
		data, err := o.loadValidation(ctx, l, validationSet(i), path, messages)
		if err != nil {
			return err
		}
		l.valid = append(l.valid, data)
	}
	return nil
}

// loadTraining reads the data that decides the mapper of l.
func (o *options) loadTraining(ctx context.Context, l *loaded, messages *console) (booster.Data, error) {
	if binned.Is(o.data) {
		return o.mapData(l, trainingSet, o.data, messages)
	}
	start := time.Now()
	src, err := o.open(o.data, trainingRead, nil, messages)
	if err != nil {
		return booster.Data{}, err
	}
	defer src.Close()
	sample, err := histogram.Read(ctx, src, o.train.BinParams())
	if err != nil {
		return booster.Data{}, err
	}
	read := time.Now()
	l.profile.Add(booster.PhaseRead, read.Sub(start))
	bins, err := sample.Bin(ctx, src)
	if err != nil {
		return booster.Data{}, err
	}
	l.profile.Add(booster.PhaseBin, time.Since(read))
	meta := sample.Meta
	l.mapper, l.names, l.label = sample.Mapper, meta.Features, meta.LabelColumn
	messages.endProgress()
	data := booster.Data{Name: trainingSet, Meta: meta, Values: bins}
	o.tellData(o.data, data, time.Since(start), messages)
	return data, nil
}

// loadValidation reads data that goes with the mapper of l.
func (o *options) loadValidation(ctx context.Context, l *loaded, name, path string, messages *console) (booster.Data, error) {
	if binned.Is(path) {
		return o.mapData(l, name, path, messages)
	}
	start := time.Now()
	src, err := o.open(path, trainingRead, l.features(), messages)
	if err != nil {
		return booster.Data{}, err
	}
	defer src.Close()
	bins, meta, err := l.mapper.Bin(ctx, src)
	if err != nil {
		return booster.Data{}, err
	}
	l.profile.Add(booster.PhaseBin, time.Since(start))
	if more := meta.NumFeatures() - len(l.mapper.Features); more > 0 {
		messages.emit(warningEvent{Message: fmt.Sprintf("%s: has %d features more than the training data; they are ignored", path, more)})
	}
	messages.endProgress()
	data := booster.Data{Name: name, Meta: meta, Values: bins}
	o.tellData(path, data, time.Since(start), messages)
	return data, nil
}

// tellData tells what data is, and what its reader noticed.
func (o *options) tellData(path string, data booster.Data, took time.Duration, messages *console) {
	messages.emit(newDataEvent(data.Name, path, data.Meta, data.Values.NaNs(), took))
	for _, remark := range data.Meta.Remarks {
		messages.emit(warningEvent{Message: remark})
	}
	tellInitialScores(data.Name, path, data.Meta, messages)
	if features := nanAsZero(data); len(features) > 0 && o.train.BinParams().Missing == histogram.MissingNaN {
		messages.emit(warningEvent{Message: fmt.Sprintf("%s: NaN counts as 0 in features that had none where bins were found: %s", path, listed(features))})
	}
}

// tellInitialScores tells of scores to which the model adds.
func tellInitialScores(name, path string, data *dataset.Meta, messages *console) {
	if data.InitialScores != nil {
		messages.emit(noteEvent{Message: fmt.Sprintf("%s: scores begin at those of %s.init, which are no part of the model: "+
			"add them to its scores", name, filepath.Clean(path))})
	}
}

// nanAsZero returns the names of the features that have NaN, but no bin for it, and
// yet can split.
func nanAsZero(data booster.Data) []string {
	var names []string
	for f, n := range data.Values.NaNs() {
		if column := data.Values.Column(int32(f)); n > 0 && column >= 0 && data.Values.MissingBin(column) < 0 {
			names = append(names, fmt.Sprintf("%s (%s rows)", data.Meta.Features[f], thousands(int(n))))
		}
	}
	return names
}

// listed joins names, and counts those beyond the first few.
func listed(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// features are those that validation data must have.
func (l *loaded) features() *table.Features {
	used := []int{}
	for f := range l.mapper.Features {
		if !l.mapper.Features[f].Constant() {
			used = append(used, f)
		}
	}
	return &table.Features{Names: l.names, Label: l.label, Used: used}
}

// refuseBinned refuses data that has no feature values.
func refuseBinned(path string) error {
	if binned.Is(path) {
		return usagef("%s is binned data, which has no feature values any more: give the text that it was made from", path)
	}
	return nil
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
