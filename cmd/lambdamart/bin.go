package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/lambdamart/lambdamart/io/data"
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

// runBin stores the data, and then the validation sets, each before the next is read.
func (o *options) runBin(ctx context.Context, messages *console) error {
	if err := o.checkBin(); err != nil {
		return err
	}
	opts := o.loadOptions(messages)
	opts.Loaded = func(s *data.Set) { tellSet(s, messages) }
	l := data.NewLoader(o.train.BinParams(), opts)
	defer l.Close()
	first, err := o.binFirst(ctx, l)
	if err != nil {
		return asUsage(err)
	}
	if err := saveBinned(o.output, l, first, messages); err != nil {
		return err
	}
	for i, path := range o.valid {
		s, err := l.Add(ctx, data.ValidationSet(i), path)
		if err != nil {
			return err
		}
		if err := saveBinned(binnedName(path), l, s, messages); err != nil {
			return err
		}
	}
	return nil
}

// binFirst bins the data, by the bins of the reference if there is one.
func (o *options) binFirst(ctx context.Context, l *data.Loader) (*data.Set, error) {
	if o.reference == "" {
		return l.Training(ctx, o.data)
	}
	if err := l.Reference(o.reference); err != nil {
		return nil, err
	}
	return l.Add(ctx, "data", o.data)
}

// saveBinned stores a set.
func saveBinned(path string, l *data.Loader, s *data.Set, messages *console) error {
	return saveFile(path, l.Binned(s).Write, messages)
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

// binningNames are the parameters that binned data has fixed.
var binningNames = []string{"max_bin", "min_data_in_bin", "bin_construct_sample_cnt", "use_missing", "zero_as_missing"}
