package nnbaseline

import (
	"context"

	"github.com/lambdamart/lambdamart/dataset"
)

// Data is ranking data with its feature values in memory: 4 bytes for each row and
// feature. Training only reads it, and so several networks can be trained on one
// Data, at the same time too.
type Data struct {
	Name   string // for messages and for Params.StopSet, such as a file's name
	Meta   *dataset.Meta
	Values *Values // as many rows as Meta
}

// Read reads src once, from end to end, and keeps its values. Errors are src's, an
// [*InfiniteError] or a [*FeatureError].
func Read(ctx context.Context, name string, src dataset.Source) (Data, error) {
	values := new(Values)
	meta, err := src.Scan(ctx, nil, func(_ int, row dataset.Row) error { return values.add(row) })
	if err != nil {
		return Data{}, err
	}
	values.finish(meta.NumRows(), meta.NumFeatures())
	return Data{Name: name, Meta: meta, Values: values}, nil
}
