package lambdamart

import (
	"cmp"
	"context"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/training"
)

// Load reads training data and validation sets, and puts the values of all of them into bins that are
// computed from the training data. A path is a file of LETOR text, CSV, TSV or Parquet, plain or compressed,
// a folder of parts of a table, data that "lambdamart bin" stored, or "-" for standard input. The companion
// files .query, .weight and .init are read where they exist.
//
// One Loaded can be used for several training runs, also with parameters other than p, except for those of
// bins (MaxBin, MinDataInBin, BinConstructSampleCnt, UseMissing, ZeroAsMissing) and of query context
// (QueryContext, QueryContextFeatures), which only Load and [Bin] use. Close it afterwards. Remarks on the
// data for the user are in [data.Set.Remarks]. Errors about the content of a file are a [*dataset.Error],
// which names file, line and column.
func Load(ctx context.Context, p Params, training string, validation ...string) (*data.Loaded, error) {
	inputs := make([]data.Input, len(validation))
	for i, path := range validation {
		inputs[i].Path = path
	}
	return load(ctx, p, data.Input{Path: training}, inputs)
}

// Bin is [Load] for data in memory, or from a source of the caller's own: [dataset.FromRows] makes one
// of a [][]float64, [dataset.NewDense] of a flat slice. The columns of all sources are the same
// features in the same order. The validation sets are named "valid_1", "valid_2" and so on.
func Bin(ctx context.Context, p Params, training dataset.Source, validation ...dataset.Source) (*data.Loaded,
	error) {
	inputs := make([]data.Input, len(validation))
	for i, src := range validation {
		inputs[i].Source = src
	}
	return load(ctx, p, data.Input{Source: training}, inputs)
}

func load(ctx context.Context, p Params, training data.Input, validation []data.Input) (*data.Loaded, error) {
	o, err := p.reading(len(validation))
	if err != nil {
		return nil, err
	}
	return data.Load(ctx, p.BinParams(), o, training, validation...)
}

// reading returns the options of loading data.
func (p *Params) reading(validation int) (data.LoadOptions, error) {
	o := reading(p.Data, &p.Params.Params, validation)
	o.InitialModel = cmp.Or(p.InitialModel, o.InitialModel)
	o.QueryContext, o.QueryContextFeatures = p.QueryContext, p.QueryContextFeatures
	return o, p.CheckContext()
}

// NetworkData is all data of a training run of a network. Its feature values are in memory.
type NetworkData struct {
	Training   nnbaseline.Data
	Validation []nnbaseline.Data

	// Remarks are for the user, about the sets. Data from memory has none.
	Remarks []data.Remark
}

// LoadNetworkData reads files for networks, as [Load] does for trees. Networks need values: data that
// "lambdamart bin" stored is refused with [data.ErrBinned].
func LoadNetworkData(ctx context.Context, p NetworkParams, training string,
	validation ...string) (*NetworkData, error) {
	var d NetworkData
	o := reading(p.Data, &p.Params.Params, len(validation))
	o.Loaded = func(s *data.Set) {
		d.Remarks = append(d.Remarks, s.Remarks...)
		if p.Data.Loaded != nil {
			p.Data.Loaded(s)
		}
	}
	err := data.Each(ctx, o, training, validation, d.read)
	if err != nil {
		return nil, err
	}
	return &d, nil
}

// ReadNetworkData reads data in memory for networks, as [Bin] does for trees.
func ReadNetworkData(ctx context.Context, training dataset.Source,
	validation ...dataset.Source) (*NetworkData, error) {
	var d NetworkData
	if _, err := d.read(ctx, data.TrainingSet, training); err != nil {
		return nil, err
	}
	for i, src := range validation {
		if _, err := d.read(ctx, data.ValidationSet(i), src); err != nil {
			return nil, err
		}
	}
	return &d, nil
}

// read adds a set: first the training data, and then the validation sets.
func (d *NetworkData) read(ctx context.Context, name string, src dataset.Source) (*dataset.Meta, error) {
	var others []nnbaseline.Data
	if d.Training.Meta != nil {
		others = append([]nnbaseline.Data{d.Training}, d.Validation...)
	}
	set, err := nnbaseline.Read(ctx, name, src, others...)
	if err != nil {
		return nil, err
	}
	if d.Training.Meta == nil {
		d.Training = set
	} else {
		d.Validation = append(d.Validation, set)
	}
	return set.Meta, nil
}

// reading returns o with Workers set to NumThreads, unless Workers is already set. Document ids are read if
// the metrics break ties by them.
func reading(o data.LoadOptions, p *training.Params, validation int) data.LoadOptions {
	o.Workers = cmp.Or(o.Workers, p.NumThreads)
	c, err := metric.ConventionByName(p.MetricConvention, metric.Exp2())
	if err != nil || c.Ties != metric.ByDocument {
		return o // training has the error
	}
	o.Docs = append(slices.Clip(o.Docs), data.TrainingSet)
	for i := range validation {
		o.Docs = append(o.Docs, data.ValidationSet(i))
	}
	return o
}
