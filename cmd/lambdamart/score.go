package main

import (
	"errors"

	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/io/data/table"
	"github.com/lambdamart/lambdamart/scoring"
	"github.com/lambdamart/lambdamart/tree"
)

// errFeatureZero explains a model whose features are numbered otherwise than the
// data's.
var errFeatureZero = errors.New("the model uses feature 0, but LETOR files begin at feature 1: it was probably trained on a matrix " +
	"whose first column is feature 1, as scikit-learn's loader makes it; then say feature_base=1")

// features returns the features of a model that a table must have.
func (m rankingModel) features() *table.Features {
	if m.network != nil {
		return &table.Features{Names: m.network.FeatureNames(), Used: m.network.UsedFeatures()}
	}
	used := append([]int{}, m.trees.UsedFeatures()...) // not nil, which would be all features
	return &table.Features{Names: m.trees.FeatureNames(), Used: used, Label: m.trees.LabelIndex}
}

// part returns what n trees from number from on compute; all that follow if n is below 1.
func (m rankingModel) part(from, n int) rankingModel {
	if m.trees != nil {
		m.trees = m.trees.Part(from, n)
	}
	return m
}

// scorer prepares a model for scoring.
func (m rankingModel) scorer() (scoring.Model, error) {
	if m.network != nil {
		return m.network, nil
	}
	return tree.Compile(m.trees)
}

// checkParts refuses to take a network apart.
func (o *options) checkParts(model rankingModel) error {
	if model.network == nil {
		return nil
	}
	for _, p := range []struct {
		asked bool
		name  string
	}{
		{o.leafIndex, "predict_leaf_index"}, {o.contributions, "predict_contrib"},
		{o.firstIteration > 0, "start_iteration_predict"}, {o.numIterations > 0, "num_iteration_predict"},
	} {
		if p.asked {
			return usagef("%s is for trees; this model is a network (%s), which gives scores alone", p.name, model.network.Ranker())
		}
	}
	return nil
}

// modelFor prepares the part of a model that the options ask for, for the rows of src.
func (o *options) modelFor(model rankingModel, src *data.File) (rankingModel, error) {
	if err := o.checkParts(model); err != nil {
		return model, err
	}
	model = model.part(o.firstIteration, o.numIterations)
	used := model.features().Used
	if !src.Table && o.layout.FeatureBase == 0 && len(used) > 0 && used[0] == 0 {
		return model, errFeatureZero
	}
	return model, nil
}

// remarks tells where the features of the rows that were scored and of the model
// differ.
func remarks(s scoring.Summary, messages *console) {
	for _, sentence := range s.Warnings() {
		messages.emit(warningEvent{Message: sentence})
	}
	for _, sentence := range s.Notes() {
		messages.emit(noteEvent{Message: sentence})
	}
}
