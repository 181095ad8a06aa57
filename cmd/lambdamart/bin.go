package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/io/data/binned"
)

func newBin(messages *console) *cobra.Command {
	o := newOptions()
	names := []string{"config", "data", "valid", "output", "reference", "feature_base", "data_format", "header", "label_column", "group_column", "weight_column", "ignore_column", "seed", "num_threads", "log_json", "verbosity"}
	cmd := &cobra.Command{
		Use:   "bin data=FILE [valid=FILE,...] [key=value]...",
		Short: "Store data binned, to train on it again and again",
		Long: `Read data, bin it, and store the bins in a file that train opens at once.

Training on the file gives the same model as training on the text, byte for byte,
with the same parameters. Validation sets get the bins of data, and each its own
file, named as the text with .bin behind. reference=train.bin gives data the bins of
an earlier file.`,
		Example: `  lambdamart bin data=train.txt valid=vali.txt output=train.bin
  lambdamart train data=train.bin valid=vali.txt.bin
  lambdamart bin data=test.txt reference=train.bin output=test.bin`,
	}
	return withParameters(cmd, o, o.tableFor(append(names, binningNames...)...), messages, func(ctx context.Context) error {
		return interruptedOr(ctx, o.runBin(ctx, messages))
	})
}

// runBin stores the data, and then the validation sets.
func (o *options) runBin(ctx context.Context, messages *console) error {
	if err := o.checkBin(); err != nil {
		return err
	}
	l := &loaded{profile: new(booster.Profile)}
	names, err := o.binFirst(ctx, l, messages)
	if err != nil {
		return err
	}
	for i, path := range o.valid {
		data, err := o.loadValidation(ctx, l, validationSet(i), path, messages)
		if err != nil {
			return err
		}
		if err := o.saveBinned(binnedName(path), data, names, messages); err != nil {
			return err
		}
	}
	return nil
}

// binFirst stores the data, and returns the names of its features. l gets the
// mapper.
func (o *options) binFirst(ctx context.Context, l *loaded, messages *console) (names []string, err error) {
	var data booster.Data
	if o.reference == "" {
		data, err = o.loadTraining(ctx, l, messages)
		if err != nil {
			return nil, err
		}
		names = data.Meta.Features
	} else {
		if l.mapper, names, err = o.readReference(); err != nil {
			return nil, err
		}
		l.names = names
		if data, err = o.loadValidation(ctx, l, "data", o.data, messages); err != nil {
			return nil, err
		}
	}
	return names, o.saveBinned(o.output, data, names, messages)
}

// readReference returns the bins and feature names of the reference file. The
// file's parameters become the options'.
func (o *options) readReference() (*histogram.Mapper, []string, error) {
	f, err := o.openBinned(o.reference, nil)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	return f.Bins.Mapper, f.Meta.Features, nil
}

// saveBinned stores data.
func (o *options) saveBinned(path string, data booster.Data, names []string, messages *console) error {
	meta := *data.Meta
	meta.Features = names
	set := &binned.Set{Meta: &meta, Bins: data.Values, Params: o.train.BinParams(), FeatureBase: o.featureBase}
	return saveFile(path, func(w io.Writer) error { return set.Write(w) }, messages)
}

// binnedName returns the name of a text's binned file where none is given.
func binnedName(path string) string { return path + ".bin" }

// checkBin finds what is wrong before anything is read.
func (o *options) checkBin() error {
	if o.output == "" && o.data != "" {
		if o.data == "-" {
			return usagef("output is missing: give output=FILE")
		}
		o.output = binnedName(o.data)
	}
	inputs := []input{{"data", o.data}}
	outputs := []string{o.output}
	for _, path := range o.valid {
		if path == "-" {
			return usagef("valid=-: the binned file would have no name; use data=- with reference=")
		}
		inputs = append(inputs, input{"valid", path})
		outputs = append(outputs, binnedName(path))
	}
	if o.reference != "" {
		inputs = append(inputs, input{"reference", o.reference})
	}
	for i, output := range outputs {
		if err := checkPaths(output, inputs...); err != nil {
			return err
		}
		if slices.Contains(outputs[:i], output) {
			return usagef("two files would be written to %s", output)
		}
	}
	return o.checkTexts()
}

// checkTexts refuses binned data where text is needed.
func (o *options) checkTexts() error {
	for _, path := range append([]string{o.data}, o.valid...) {
		if binned.Is(path) {
			return usagef("%s: it is binned already", path)
		}
	}
	return nil
}

// openBinned opens binned data. It must have the bins of the given mapper; if that
// is nil, the file's binning parameters become the options'.
func (o *options) openBinned(path string, mapper *histogram.Mapper) (*binned.File, error) {
	f, err := binned.Open(path, binned.Options{Mapper: mapper, Workers: o.train.NumThreads})
	if err != nil {
		return nil, err
	}
	if err := o.adoptBinning(path, f, mapper == nil); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// binningNames are the parameters that binned data has fixed.
var binningNames = []string{"max_bin", "min_data_in_bin", "bin_construct_sample_cnt", "use_missing", "zero_as_missing"}

// adoptBinning makes the parameters with which a file was binned the options'. One
// that was given another value is an error, as is any other value if the file is
// not the first.
func (o *options) adoptBinning(path string, f *binned.File, first bool) error {
	fixed := []struct {
		name string
		dst  *int
		file int
	}{
		{"max_bin", &o.train.MaxBin, f.Params.MaxBin},
		{"min_data_in_bin", &o.train.MinDataInBin, f.Params.MinDataInBin},
		{"bin_construct_sample_cnt", &o.train.BinConstructSampleCnt, f.Params.SampleCount},
		{"feature_base", &o.featureBase, f.FeatureBase},
	}
	for _, p := range fixed {
		if settled := !first || slices.Contains(o.given, p.name); settled && *p.dst != p.file {
			return usagef("%s=%d: %s was binned with %s=%d; leave the parameter out, or bin the text again", p.name, *p.dst, path, p.name, p.file)
		}
		*p.dst = p.file
	}
	return o.adoptMissing(path, f, first)
}

// adoptMissing is adoptBinning for what is missing, which two parameters say.
func (o *options) adoptMissing(path string, f *binned.File, first bool) error {
	given := slices.Contains(o.given, "use_missing") || slices.Contains(o.given, "zero_as_missing")
	missing := f.Params.Missing
	if settled := !first || given; settled && o.train.BinParams().Missing != missing {
		return usagef("use_missing=%t zero_as_missing=%t: %s was binned with use_missing=%t zero_as_missing=%t; leave the parameters out, or bin the text again",
			o.train.UseMissing, o.train.ZeroAsMissing, path, missing != histogram.MissingNone, missing == histogram.MissingZero)
	}
	o.train.UseMissing, o.train.ZeroAsMissing = missing != histogram.MissingNone, missing == histogram.MissingZero
	return nil
}

// seedNote tells that the seed of a training is not the one that chose the rows
// from which bins were found.
func (o *options) seedNote(path string, f *binned.File, messages *console) {
	if seed := f.Params.Seed; seed != o.train.Seed && f.Meta.NumRows() > f.Params.SampleCount {
		messages.emit(noteEvent{Message: fmt.Sprintf("%s: the rows from which its bins were found were drawn with seed=%d; seed=%d decides all other draws", path, seed, o.train.Seed)})
	}
}

// mapData opens binned data as a set of a training. The first set brings the
// mapper.
func (o *options) mapData(l *loaded, name, path string, messages *console) (booster.Data, error) {
	start := time.Now()
	f, err := o.openBinned(path, l.mapper)
	if err != nil {
		return booster.Data{}, err
	}
	if l.mapper == nil {
		o.seedNote(path, f, messages)
	}
	if l.mapper == nil {
		l.names = f.Meta.Features
	}
	l.files, l.mapper = append(l.files, f), f.Bins.Mapper
	l.profile.Add(booster.PhaseRead, time.Since(start))
	data := booster.Data{Name: name, Meta: f.Meta, Values: f.Bins}
	o.tellData(path, data, time.Since(start), messages)
	return data, nil
}
