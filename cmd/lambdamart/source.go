package main

import (
	"errors"

	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/io/data/table"
)

// What a data file is opened for.
type purpose int

const (
	trainingRead purpose = iota // read several times
	scoringRead                 // read once, without labels
	judgingRead                 // read several times
	docsRead                    // the same, with document ids
)

// judgedRead is the purpose of judging, with document ids or without.
func judgedRead(docs bool) purpose {
	if docs {
		return docsRead
	}
	return judgingRead
}

// open opens a data file that is not binned. features are those of the model, or of
// the training data, that the columns of a table are matched to; nil makes them
// features themselves.
func (o *options) open(path string, why purpose, features *table.Features, messages *console) (*data.File, error) {
	f, err := data.Open(path, data.Options{
		Layout:   o.layout,
		Features: features,
		NoLabels: why == scoringRead,
		Docs:     why == docsRead || why == scoringRead && o.format == formatTREC,
		Once:     why == scoringRead,
		Workers:  o.train.NumThreads,
		Progress: messages.reading(),
	})
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
