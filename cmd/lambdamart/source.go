package main

import (
	"os"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data/format"
	"github.com/lambdamart/lambdamart/io/data/letor"
	"github.com/lambdamart/lambdamart/io/data/table"
	"github.com/lambdamart/lambdamart/io/stream"
)

// source is a data file that has feature values, in whatever form.
type source struct {
	dataset.File
	isTable bool
}

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

// isOnce tells whether one pass over the data is enough.
func (p purpose) isOnce() bool { return p == scoringRead }

// columnOptions are the parameters that tell what the columns of a table are.
type columnOptions struct {
	format format.Format
	header string
	label  string
	query  string
	weight string
	ignore string
}

// open opens a data file that is not binned. features are those of the model, or of
// the training data, that the columns of a table are matched to; nil makes them
// features themselves.
func (o *options) open(path string, why purpose, features *table.Features, messages *console) (*source, error) {
	if err := refuseBinned(path); err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		data, err := table.Open(path, o.tableOptions(path, why, features, messages))
		return &source{data, true}, err
	}
	in, err := stream.Open(path, stream.Options{Once: why.isOnce()})
	if err != nil {
		return nil, err
	}
	src, err := o.openInput(path, in, why, features, messages)
	if err != nil {
		in.Close()
		return nil, err
	}
	return src, nil
}

// openInput reads a file that is open, in the form that it is in.
func (o *options) openInput(path string, in *stream.Input, why purpose, features *table.Features, messages *console) (*source, error) {
	form, err := o.columns.format.Of(path, in)
	if err != nil {
		return nil, err
	}
	if form.IsTable() {
		data, err := table.New(path, in, o.tableOptions(path, why, features, messages))
		return &source{data, true}, err
	}
	f, err := letor.New(path, in, letor.Options{
		FeatureBase: o.featureBase,
		Workers:     o.train.NumThreads,
		Once:        why.isOnce(),
		KeepDocs:    why == docsRead || why == scoringRead && o.format == formatTREC,
		Progress:    messages.reading(path),
	})
	return &source{f, false}, err
}

var tableHeaders = map[string]table.Header{
	headerAuto: table.AutoHeader,
	"true":     table.WithHeader, "+": table.WithHeader, "1": table.WithHeader,
	"false": table.WithoutHeader, "-": table.WithoutHeader, "0": table.WithoutHeader,
}

const headerAuto = "auto"

func (o *options) tableOptions(path string, why purpose, features *table.Features, messages *console) table.Options {
	return table.Options{
		Format:   o.columns.format,
		Header:   tableHeaders[o.columns.header],
		Label:    o.columns.label,
		Query:    o.columns.query,
		Weight:   o.columns.weight,
		Ignore:   o.columns.ignore,
		Model:    features,
		NoLabels: why == scoringRead,
		Workers:  o.train.NumThreads,
		Once:     why.isOnce(),
		Progress: messages.reading(path),
	}
}
