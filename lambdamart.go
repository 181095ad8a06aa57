// Package lambdamart trains, stores, scores and judges models that rank documents: gradient-boosted
// trees with LambdaMART's gradients and, to compare them with, neural rankers.
//
// This package is the front door. It only connects the packages that do the work, so that a program
// that trains needs one import, and one that needs more finds the rest from here:
//
//	files, matrices ── [Load], [Bin] ──▶ *data.Loaded       io/data, dataset, histogram
//	*data.Loaded    ── [Train] ────────▶ *booster.Result    booster, objective, metric, training
//	model files     ◀─ [WriteModel], [ReadModel] ─▶ Model   io/model, nnbaseline
//	Model, rows     ── Model.Score, [Score] ──▶ scores      tree, scoring
//
// # Terms
//
// A row is a judged document: its relevance label, its query, and its feature values. The rows of a
// query follow each other. Training data decides the bins of all features; validation data is binned
// by them and decides when training stops. Models depend on the data and the parameters, and on
// nothing else: neither on the number of threads nor on the CPU.
package lambdamart

import (
	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/io/data"
)

// Params are the parameters of training and those of reading data. Begin with [DefaultParams]: zero
// is a value in every field, never a request for the default. Names and meanings are LightGBM's where
// it has the parameter; docs/parameters.md lists them all.
type Params struct {
	booster.Params

	// Data says how files are written: the format, the columns of tables.
	Data data.Layout
}

// DefaultParams returns LightGBM's defaults for its lambdarank objective, for data whose layout is
// found out from its content.
func DefaultParams() Params {
	return Params{Params: booster.DefaultParams(), Data: data.DefaultLayout()}
}
