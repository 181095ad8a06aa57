package booster

import (
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/objective"
)

// readsSecondLabels reports whether an objective of a training run with these parameters reads the second
// labels of the data, which it must have then.
func (p *Params) readsSecondLabels() bool {
	return slices.ContainsFunc(p.objectives(), objective.ReadsSecondLabels)
}

// SecondLabelsRemark says that a training run on the data does not use its second labels; empty if it does,
// or if there are none. obj is the caller's objective, or nil.
func (p *Params) SecondLabelsRemark(m *dataset.Meta, obj objective.Objective) string {
	if m.SecondLabels == nil || obj != nil || p.readsSecondLabels() {
		return ""
	}
	return "the second labels of the data are not used: name the objective that reads them, as in " +
		"objective=lambdarank:1,query_rmse@2:0.2"
}
