package nnbaseline

import (
	"context"
	"fmt"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/training"
)

// Data is ranking data with its feature values in memory: 4 bytes for each row and feature.
type Data = training.Data[*Values]

// Read reads src once, from beginning to end, and keeps its values. name is the data's name in messages.
// Errors come from src, are about an infinite value or a feature number that is too large, or say that there
// is not enough memory for the values in addition to those of others, which are in memory already.
func Read(ctx context.Context, name string, src dataset.Source, others ...Data) (Data, error) {
	room, err := newRoom(ctx, src, others)
	if err != nil {
		return Data{}, err
	}
	values := &Values{room: room}
	meta, err := dataset.Scan(ctx, src, nil, func(_ int, row dataset.Row) error { return values.add(row) })
	if err != nil {
		return Data{}, err
	}
	if err := values.finish(meta.NumRows(), meta.NumFeatures()); err != nil {
		return Data{}, err
	}
	return Data{Name: name, Meta: meta, Values: values}, nil
}

// checkTraining returns an error if a network cannot learn from the training data.
func checkTraining(p *Params, train Data) error {
	if train.Values.numFeatures() == 0 {
		return fmt.Errorf("data %q: no features", train.Name)
	}
	return checkLabels(p, train)
}
