//go:build unix

package main

import (
	"context"
	"errors"
	"strings"

	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
)

// timeNetworks trains networks on TRAIN and scores VALI, both LETOR files. A task is
//
//	time NAME=VALUE...          train two epochs; the answer is the cost of the second
//	scores FILE NAME=VALUE...   train, and write the scores of VALI as little-endian float64;
//	                            the answer is the mean losses of the epochs
//
// with parameters.
func timeNetworks(paths []string) error {
	if len(paths) != 2 {
		return errors.New("give TRAIN and VALI")
	}
	train, err := readValues(paths[0])
	if err != nil {
		return err
	}
	vali, err := readValues(paths[1])
	if err != nil {
		return err
	}
	return answer(func(task []string) (any, error) {
		switch {
		case len(task) > 0 && task[0] == "time":
			return timeEpoch(train, task[1:])
		case len(task) > 1 && task[0] == "scores":
			return writeNetworkScores(train, vali, task[1], task[2:])
		}
		return nil, errors.New("no such task")
	})
}

func readValues(path string) (nnbaseline.Data, error) {
	file, err := data.Open(path, data.Options{})
	if err != nil {
		return nnbaseline.Data{}, err
	}
	defer file.Close()
	return nnbaseline.Read(context.Background(), path, file)
}

// parameters returns the default parameters with one thread, changed by the given settings.
func parameters(settings []string) (nnbaseline.Params, error) {
	p := nnbaseline.DefaultParams()
	p.NumThreads = 1
	p.Metric = nil
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		if _, err := p.Table().Apply([]param.Setting{{Name: name, Value: value}}); err != nil {
			return p, err
		}
	}
	return p, p.Validate()
}

// timeEpoch trains two epochs and returns the cost of the second. The first warms the caches;
// PyTorch has such an epoch too.
func timeEpoch(train nnbaseline.Data, settings []string) (cost, error) {
	p, err := parameters(settings)
	if err != nil {
		return cost{}, err
	}
	p.Epochs = 2
	var c cost
	before := 0.0
	options := training.Options{Round: func(r training.Round) {
		now := processorSeconds()
		c = cost{r.Documents, r.Seconds, now - before}
		before = now
	}}
	_, err = nnbaseline.Train(context.Background(), p, train, nil, options)
	return c, err
}

// writeNetworkScores trains, writes the scores of vali to a file, and returns the mean losses of the epochs.
func writeNetworkScores(train, vali nnbaseline.Data, path string, settings []string) ([]float64, error) {
	p, err := parameters(settings)
	if err != nil {
		return nil, err
	}
	var losses []float64
	options := training.Options{Round: func(r training.Round) { losses = append(losses, r.Loss) }}
	result, err := nnbaseline.Train(context.Background(), p, train, nil, options)
	if err != nil {
		return nil, err
	}
	scores := make([]float64, vali.Meta.NumRows())
	if err := result.Model.ScoreData(scores, vali, 1); err != nil {
		return nil, err
	}
	return losses, writeFloats(path, scores)
}
