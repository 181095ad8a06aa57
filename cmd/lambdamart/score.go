package main

import (
	"errors"

	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/io/data/table"
	"github.com/lambdamart/lambdamart/scoring"
	"github.com/lambdamart/lambdamart/tree"
)

// errFeatureZero explains a model whose features are numbered otherwise than those of the data.
var errFeatureZero = errors.New("the model uses feature 0, but LETOR files begin at feature 1: it was probably trained on a matrix " +
	"whose first column is feature 1, as scikit-learn's loader makes it; then say feature_base=1")

// features returns the features of a model that a table must have.
func (m rankingModel) features() *table.Features {
	if m.network != nil {
		return &table.Features{Names: m.network.FeatureNames(), Used: m.network.UsedFeatures()}
	}
	return &table.Features{Names: m.trees.FeatureNames(), Used: m.trees.UsedFeatures(), Label: m.trees.LabelIndex}
}

// scorer prepares a model for scoring.
func (m rankingModel) scorer() (scoring.Model, error) {
	if m.network != nil {
		return m.network, nil
	}
	return tree.Compile(m.trees)
}

// part is the part of a model of trees that is used: n trees from number from on, or all that
// follow if n is below 1.
type part struct{ from, n int }

// ofTrees is a parameter that only models of trees have.
type ofTrees struct {
	given bool
	name  string
}

// take returns the part of a model that is asked for, prepared for the rows of src. Parameters
// that a network does not have are an error; more are such parameters besides those of the part.
func (p part) take(model rankingModel, src *data.File, featureBase int, more ...ofTrees) (rankingModel, error) {
	if model.network != nil {
		for _, parameter := range append(more, ofTrees{p.from > 0, "start_iteration_predict"}, ofTrees{p.n > 0, "num_iteration_predict"}) {
			if parameter.given {
				return model, usagef("%s is for trees; this model is a network (%s), which gives scores alone", parameter.name, model.network.Ranker())
			}
		}
	} else {
		model.trees = model.trees.Part(p.from, p.n)
	}
	used := model.features().Used
	if !src.Table && featureBase == 0 && len(used) > 0 && used[0] == 0 {
		return model, errFeatureZero
	}
	return model, nil
}

// remark reports where the features of the rows that were scored and those of the model differ.
func remark(s scoring.Summary, messages *console) {
	for _, sentence := range s.Warnings() {
		messages.emit(warningEvent{Message: sentence})
	}
	for _, sentence := range s.Notes() {
		messages.emit(noteEvent{Message: sentence})
	}
}
