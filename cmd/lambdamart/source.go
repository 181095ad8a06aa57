package main

import (
	"errors"

	"github.com/lambdamart/lambdamart/io/data"
)

// reading says how files of rows with features are read.
type reading struct {
	layout  data.Layout
	workers int
}

func (o *options) reading() reading { return reading{o.layout, o.train.NumThreads} }

// open opens a data file that is not binned. how has the options that depend on its use.
func (r reading) open(path string, how data.Options, messages *console) (*data.File, error) {
	how.Layout, how.Workers, how.Progress = r.layout, r.workers, messages.reading()
	f, err := data.Open(path, how)
	return f, asUsage(err)
}

// asUsage makes a usage error of an error of loading data that a parameter caused.
func asUsage(err error) error {
	var binning *data.BinningError
	if errors.Is(err, data.ErrBinned) || errors.As(err, &binning) {
		return &usageError{err}
	}
	return err
}
