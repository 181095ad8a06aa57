package booster

import (
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/objective"
)

// readsSecondLabels reports whether an objective of a run with these parameters reads the second labels of
// the data, and so requires them.
func (p *Params) readsSecondLabels() bool {
	return slices.ContainsFunc(p.objectives(), objective.ReadsSecondLabels)
}

// secondLabelsRemark returns a remark if a training run ignores the second labels of the data, and an empty
// text otherwise. own means that the objective is the caller's.
func (p *Params) secondLabelsRemark(m *dataset.Meta, own bool) string {
	switch {
	case m.SecondLabels == nil:
		return ""
	case own:
		return "the second labels of the data are not used: an objective of your own does not get them"
	case p.readsSecondLabels():
		return ""
	}
	return "the second labels of the data are not used: name the objective that reads them, as in " +
		"objective=lambdarank:1,query_rmse@2:0.2"
}
