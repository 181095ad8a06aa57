package train

import (
	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/tree"
)

// remarkOnData shows remarks about a run of trees on the data. own reports that the objective is the
// caller's.
func remarkOnData(p *booster.Params, s *data.Set, own bool, messages *cli.Console) {
	warnings, notes := p.Remarks(booster.Data{Meta: s.Meta, Values: s.Bins}, own)
	for _, text := range warnings {
		messages.Warn(text)
	}
	for _, text := range notes {
		messages.Note(text)
	}
}

// remarkOnStopping warns if the training data decides when training stops, because the user gave it as the
// first validation set.
func remarkOnStopping(p *booster.Params, all *data.Loaded, messages *cli.Console) {
	if p.Patience == 0 || p.StopSet != "" || p.AnyMetricStops || len(all.Validation) == 0 {
		return
	}
	if first := all.Validation[0]; first.SameRows(all.Training) {
		text := first.Name + ", which decides when training stops, is the training data, on which metrics hardly " +
			"ever stop rising"
		if len(all.Validation) > 1 {
			text += "; give another set first, or name it in stop_set"
		}
		messages.Warn(text)
	}
}

// initialModel returns the model of input_model as one from which training of trees can continue.
func initialModel(path string, m lambdamart.Model) (*tree.Ensemble, error) {
	trees, ok := m.(*tree.Ensemble)
	if !ok {
		return nil, cli.Usagef("input_model=%s is a network; training continues from models of trees", path)
	}
	return trees, nil
}
