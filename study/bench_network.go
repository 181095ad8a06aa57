package study

import (
	"context"
	"fmt"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/param"
)

// networkLearner is a neural ranker.
type networkLearner struct{ params nnbaseline.Params }

// newNetwork returns a neural ranker with the defaults of training, but with enough epochs for early stopping
// to end it.
func newNetwork(kind string) *networkLearner {
	p := nnbaseline.DefaultParams()
	p.Ranker, p.Epochs, p.Patience = kind, 100, 10
	return &networkLearner{p}
}

// table returns all parameters except the loss, which is the kind of the ranker.
func (n *networkLearner) table() param.Table {
	var t param.Table
	for _, p := range n.params.Table() {
		if p.Name != "ranker" {
			t = append(t, p)
		}
	}
	return t
}

func (n *networkLearner) validate() error { return n.params.Validate() }

func (n *networkLearner) train(ctx context.Context, f *splitData, with runTerms) (*fittedRanker, error) {
	p := n.params
	with.setOn(&p.Params)
	p.LabelGain = with.judge.gain
	p.Epochs = with.limited(p.Epochs)
	if p.Patience == 0 {
		p.Patience = p.Epochs // training never stops early, but the model still keeps the best epoch
	}
	data, err := f.read(ctx)
	if err != nil {
		return nil, &dataError{err}
	}
	result, err := nnbaseline.Train(ctx, p, data.train, []nnbaseline.Data{data.vali}, with.options(p.Epochs))
	if err != nil {
		return nil, err
	}
	if result.Best == 0 {
		return nil, fmt.Errorf("not even one epoch was done (%s): give it more time, max_seconds", result.Stopped)
	}
	m := &fittedRanker{score: result.Model.Score, write: result.Model.Write, iterations: result.Rounds,
		kept: result.Best, stopped: string(result.Stopped)}
	if result.Explosion != nil {
		m.warning = result.Explosion.Error()
	}
	return m, nil
}

// networkData is data for networks.
type networkData struct{ train, vali nnbaseline.Data }

// read returns training and validation data with their values in memory.
func (f *splitData) read(ctx context.Context) (*networkData, error) {
	if f.values != nil {
		return f.values, nil
	}
	train, err := f.readValues(ctx, "train", f.Train, nil)
	if err != nil {
		return nil, err
	}
	if err := f.begins(train.Meta); err != nil {
		return nil, err
	}
	vali, err := f.readValues(ctx, "vali", f.Vali, f.train)
	if err != nil {
		return nil, err
	}
	f.values = &networkData{train, vali}
	return f.values, nil
}

func (f *splitData) readValues(ctx context.Context, name, path string, like *dataset.Meta) (nnbaseline.Data,
	error) {
	src, err := f.open(path, like)
	if err != nil {
		return nnbaseline.Data{}, err
	}
	defer src.Close()
	return nnbaseline.Read(ctx, name, src)
}
