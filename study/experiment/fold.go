package experiment

import (
	"context"
	"fmt"
	"io"
	"reflect"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/dataset/widened"
	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/io/data/table"
	"github.com/lambdamart/lambdamart/querycontext"
)

// Source is an open file of ranking data.
type Source interface {
	dataset.Source
	io.Closer
}

// OpenFunc opens a file of ranking data. like describes the training data, whose features the other
// data must have; it is nil for the training data itself.
type OpenFunc func(path string, like *dataset.Meta) (Source, error)

// Files returns a function that opens data files of any form.
func Files(o data.Options) OpenFunc {
	return func(path string, like *dataset.Meta) (Source, error) {
		o := o
		if like != nil {
			o.Features = &table.Features{Names: like.Features, Label: like.LabelColumn}
		}
		return data.Open(path, o)
	}
}

// fold is the data of a split. Each form of the data is read when it is first needed.
type fold struct {
	Split
	open  OpenFunc
	train *dataset.Meta // of the training data; nil until it was read

	bins   *binned      // for trees
	values *networkData // for networks
	judged *testData
}

// binned is data for trees. A fold keeps the bins of the latest parameters only.
type binned struct {
	params      histogram.BinParams
	context     querycontext.Request
	train, vali booster.Data
}

// bin returns training and validation data in bins, with the query context that is asked for.
func (f *fold) bin(ctx context.Context, p histogram.BinParams, asked querycontext.Request) (*binned, error) {
	file, err := f.open(f.Train, nil)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if rows, known, err := file.NumRows(ctx); err != nil {
		return nil, err
	} else if known && rows <= p.SampleCount {
		p.Seed = 0 // bins are found from all rows, so that they do not depend on the seed
	}
	if f.bins != nil && f.bins.params == p && reflect.DeepEqual(f.bins.context, asked) {
		return f.bins, nil
	}
	f.bins = nil // frees the memory before the next bins are made
	src, err := widenedBy(ctx, file, asked)
	if err != nil {
		return nil, err
	}
	sample, err := histogram.Read(ctx, src, p)
	if err != nil {
		return nil, err
	}
	if err := f.begins(rawOf(src, sample.Meta)); err != nil {
		return nil, err
	}
	train, err := sample.Bin(ctx, src)
	if err != nil {
		return nil, err
	}
	vali, err := f.binVali(ctx, sample.Mapper, sample.Meta.Context)
	if err != nil {
		return nil, err
	}
	f.bins = &binned{p, asked, booster.Data{Name: "train", Meta: sample.Meta, Values: train}, vali}
	return f.bins, nil
}

// widenedBy returns src with the query context that is asked for.
func widenedBy(ctx context.Context, src dataset.Source, asked querycontext.Request) (dataset.Source, error) {
	if asked.IsZero() {
		return src, nil
	}
	return widened.Ask(ctx, src, asked)
}

// rawOf returns the description of data without query context.
func rawOf(src dataset.Source, m *dataset.Meta) *dataset.Meta {
	if wide, ok := src.(*widened.Source); ok {
		return wide.Raw()
	}
	return m
}

// DataError means that data cannot be read, which concerns all rankers.
type DataError struct{ Err error }

func (e *DataError) Error() string { return e.Err.Error() }

// Unwrap returns the error of reading.
func (e *DataError) Unwrap() error { return e.Err }

// begins keeps what is known of the training data.
func (f *fold) begins(train *dataset.Meta) error {
	if train.InitialScores != nil {
		return fmt.Errorf("%s.init: rankers are compared from the beginning, so that scores begin at 0; take the file away", f.Train)
	}
	f.train = train
	return nil
}

func (f *fold) binVali(ctx context.Context, mapper *histogram.Mapper, columns *querycontext.Columns) (booster.Data, error) {
	file, err := f.open(f.Vali, f.train)
	if err != nil {
		return booster.Data{}, err
	}
	defer file.Close()
	var src dataset.Source = file
	if columns != nil {
		src = widened.New(file, columns, nil)
	}
	bins, meta, err := mapper.Bin(ctx, src)
	return booster.Data{Name: "vali", Meta: meta, Values: bins}, err
}

// testData is the test queries, with all features in memory.
type testData struct {
	meta     *dataset.Meta
	features int       // columns of the training data, which models know
	values   []float64 // rows × features, row-major
	leaked   int       // queries that were trained on
}

// test returns the test queries. The training data has been read before.
func (f *fold) test(ctx context.Context) (*testData, error) {
	if f.judged != nil {
		return f.judged, nil
	}
	src, err := f.open(f.Test, f.train)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	d := &testData{features: f.train.NumFeatures()}
	if d.meta, d.values, err = readDense(ctx, src, d.features); err != nil {
		return nil, err
	}
	d.leaked = shared(f.train, d.meta)
	f.judged = d
	return d, nil
}

// shared counts the queries whose ids are in both. It is 0 if the ids of one are mere numbers.
func shared(a, b *dataset.Meta) int {
	if !a.HasIDs() || !b.HasIDs() {
		return 0
	}
	ids := map[string]bool{}
	for _, q := range a.Queries {
		ids[q.ID] = true
	}
	n := 0
	for _, q := range b.Queries {
		if ids[q.ID] {
			n++
		}
	}
	return n
}

// readDense reads all rows with the given number of features. Absent features are zero, and features
// beyond that number are left out.
func readDense(ctx context.Context, src dataset.Source, features int) (*dataset.Meta, []float64, error) {
	meta, err := src.Scan(ctx, func(int) bool { return false }, nil)
	if err != nil {
		return nil, nil, err
	}
	values := make([]float64, meta.NumRows()*features)
	_, err = src.Scan(ctx, nil, func(_ int, row dataset.Row) error {
		if row.Number >= meta.NumRows() {
			return fmt.Errorf("there are more rows than at first")
		}
		dense := values[row.Number*features:][:features]
		for i, number := range row.Feature {
			if int(number) < features {
				dense[number] = row.Value[i]
			}
		}
		return nil
	})
	return meta, values, err
}
