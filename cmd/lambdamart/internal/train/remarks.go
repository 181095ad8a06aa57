package train

import (
	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/tree"
)

// remarkOnData says what a run of trees does with the positions of the documents and their second labels, if
// the data has them, on how many rows trees grow, and which features are left out. own says that the
// objective is the caller's.
func remarkOnData(p *booster.Params, s *data.Set, own bool, messages *cli.Console) {
	m := s.Meta
	if text := p.SecondLabelsRemark(m, nil); own && m.SecondLabels != nil {
		messages.Warn("the second labels of the data are not used: an objective of your own does not get them")
	} else if text != "" && !own {
		messages.Warn(text)
	}
	if text := p.InteractionsRemark(booster.Data{Meta: m, Values: s.Bins}); text != "" {
		messages.Warn(text)
	}
	if text := p.ActiveRemark(m.AllRows()); text != "" {
		messages.Note(text)
	}
	switch text, ignored := p.PositionsRemark(m, nil); {
	case own && m.Positions != nil:
		messages.Warn("the positions of the documents are not used: an objective of your own does not get them")
	case ignored:
		messages.Warn(text)
	case text != "":
		messages.Note(text)
	}
}

// initialModel returns the model of a file, which is input_model, as one that training of trees continues
// from.
func initialModel(path string, m lambdamart.Model) (*tree.Ensemble, error) {
	trees, ok := m.(*tree.Ensemble)
	if !ok {
		return nil, cli.Usagef("input_model=%s is a network; training continues from models of trees", path)
	}
	return trees, nil
}
