package data

import (
	"context"
	"time"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/io/data/internal/binned"
	"github.com/lambdamart/lambdamart/tree"
)

// Loaded is all data of a training run of boosted trees. Close it when the run is over.
type Loaded struct {
	Training   *Set
	Validation []*Set

	Params BinParams // with which bins were found, or binned training data was made
	Layout Layout    // of the options, with the feature base of the training data if that is binned

	// InitialModel is from the options; its scores are part of the sets' initial scores. Before is the same
	// model as a sum, with the features of the training data. Both are nil if there is none.
	InitialModel, Before *tree.Ensemble

	loader *Loader
}

// Close unmaps binned data: sets of it must not be used afterwards.
func (l *Loaded) Close() error { return l.loader.Close() }

// ErrChanged means that the file of a set that was stored as bins changed, or was
// cut off, while it was in use.
var ErrChanged = binned.ErrChanged

// Guard begins a use of the sets, and returns the function that ends it:
//
//	defer d.Guard(&err)()
//
// If the file of a set that was stored as bins changed or was cut off since it was opened, that function sets
// err to an error that wraps [ErrChanged]: what was computed means nothing. A nil *Loaded has no files.
func (l *Loaded) Guard(err *error) (end func()) {
	if l == nil {
		return func() {}
	}
	return binned.Guard(err, l.loader.files...)
}

// Input is one set of a training run, as it is loaded.
type Input struct {
	Path   string         // of data in any form that [Open] accepts, or of binned data
	Source dataset.Source // instead, if not nil: data that is open, or in memory
}

// present returns the error for sets whose file is not there: to read the sets before them may take long.
func present(sets []Input) error {
	for _, in := range sets {
		if in.Source != nil {
			continue
		}
		if err := stream.Exists(in.Path); err != nil {
			return err
		}
	}
	return nil
}

// Load loads the training data and the validation sets, which it names [TrainingSet] and [ValidationSet], and
// bins all of them by what it finds in the training data. The sets are read one after the other. The columns
// of files are matched to the features of the training data by name; data in memory must have the same
// features in the same order.
func Load(ctx context.Context, p BinParams, o LoadOptions, training Input,
	validation ...Input) (_ *Loaded, err error) {
	if err := present(validation); err != nil {
		return nil, err
	}
	l := NewLoader(p, o)
	defer func() {
		if err != nil {
			l.Close()
		}
	}()
	l.several = len(validation) > 0
	all := &Loaded{InitialModel: o.InitialModel, Validation: make([]*Set, len(validation)), loader: l}
	if all.Training, err = l.Training(ctx, training); err != nil {
		return nil, err
	}
	for i, in := range validation {
		if all.Validation[i], err = l.Add(ctx, ValidationSet(i), in); err != nil {
			return nil, err
		}
	}
	if err := l.checkColumns(); err != nil {
		return nil, err
	}
	all.Params, all.Layout, all.Before = l.params, l.opts.Layout, l.before
	return all, nil
}

// Each replaces Load for callers that store feature values themselves. It opens the training data and then
// the validation sets, one after the other, and calls read for each. read reads the source and returns the
// Meta that a pass over it returned. The columns of tables are matched to the training data's features;
// binned data is refused with [ErrBinned], and a request for query context with [ErrContext]. The options
// Given and InitialModel are ignored, and the sets passed to Loaded have no Bins.
func Each(ctx context.Context, o LoadOptions, training string, validation []string,
	read func(ctx context.Context, name string, src dataset.Source) (*dataset.Meta, error)) error {
	if len(o.QueryContext) > 0 {
		return ErrContext
	}
	inputs := make([]Input, len(validation))
	for i, path := range validation {
		inputs[i].Path = path
	}
	if err := present(inputs); err != nil {
		return err
	}
	o.InitialModel = nil
	l := NewLoader(BinParams{}, o)
	l.several = len(validation) > 0
	first := &Set{Name: TrainingSet, Path: training}
	if err := l.each(ctx, first, nil, read); err != nil {
		return err
	}
	like := &dataset.Features{Names: first.Meta.Features, Label: first.Meta.LabelColumn, OfTraining: true}
	for i, path := range validation {
		if err := l.each(ctx, &Set{Name: ValidationSet(i), Path: path}, like, read); err != nil {
			return err
		}
	}
	return l.checkColumns()
}

// each opens one set and has it read.
func (l *Loader) each(ctx context.Context, s *Set, like *dataset.Features,
	read func(ctx context.Context, name string, src dataset.Source) (*dataset.Meta, error)) (err error) {
	start := time.Now()
	src, err := l.open(s.Name, s.Path, like)
	if err != nil {
		return err
	}
	defer src.Close()
	s.noteColumns(src)
	if s.Meta, err = read(ctx, s.Name, src); err != nil {
		return err
	}
	s.Reading = time.Since(start)
	_, err = l.complete(ctx, s, nil)
	return err
}
