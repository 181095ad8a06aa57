package experiment

import (
	"context"
	"fmt"
	"io"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/param"
)

// network is a neural ranker.
type network struct{ params nnbaseline.Params }

// newNetwork returns a neural ranker with the defaults of training, except that there are enough
// epochs for early stopping to end it.
func newNetwork(kind string) *network {
	p := nnbaseline.DefaultParams()
	p.Ranker, p.Epochs, p.Patience = kind, 100, 10
	return &network{p}
}

// table returns all parameters but the loss, which is the kind of the ranker.
func (n *network) table() param.Table {
	var t param.Table
	for _, p := range n.params.Table() {
		if p.Name != "ranker" {
			t = append(t, p)
		}
	}
	return t
}

func (n *network) validate() error { return n.params.Validate() }

func (n *network) train(ctx context.Context, f *fold, with terms) (*fitted, error) {
	p := n.params
	with.setOn(&p.Params)
	p.LabelGain = with.judge.gain
	p.Epochs = with.limited(p.Epochs)
	if p.Patience == 0 {
		p.Patience = p.Epochs // training never stops early, but the model keeps the best epoch
	}
	data, err := f.read(ctx)
	if err != nil {
		return nil, &DataError{err}
	}
	result, err := nnbaseline.Train(ctx, p, data.train, []nnbaseline.Data{data.vali}, with.options(p.Epochs))
	if err != nil {
		return nil, err
	}
	if result.Best == 0 {
		return nil, fmt.Errorf("not even one epoch was done (%s): give it more time, max_seconds", result.Stopped)
	}
	m := &fitted{model: networkModel{result.Model}, iterations: result.Rounds, kept: result.Best,
		stopped: string(result.Stopped)}
	if result.Explosion != nil {
		m.warning = result.Explosion.Error()
	}
	return m, nil
}

// networkData is data for networks.
type networkData struct{ train, vali nnbaseline.Data }

// read returns training and validation data with their values in memory.
func (f *fold) read(ctx context.Context) (*networkData, error) {
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

func (f *fold) readValues(ctx context.Context, name, path string, like *dataset.Meta) (nnbaseline.Data,
	error) {
	src, err := f.open(path, like)
	if err != nil {
		return nnbaseline.Data{}, err
	}
	defer src.Close()
	return nnbaseline.Read(ctx, name, src)
}

// networkModel is a trained network.
type networkModel struct{ *nnbaseline.Model }

func (m networkModel) newScorer() func(dst, rows []float64) error { return m.Score }
func (m networkModel) write(w io.Writer) error                    { return m.Write(w) }
