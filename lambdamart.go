// Package lambdamart trains, scores, evaluates and exports models that rank documents:
// gradient-boosted trees on the gradients of LambdaMART and, for comparison, neural rankers. A whole
// program needs this one import:
//
//	p := lambdamart.DefaultParams()
//	p.NumLeaves, p.Patience = 63, 50
//	d, err := lambdamart.Load(ctx, p, "train.txt", "vali.parquet") // any format; the same bins for all
//	if err != nil {
//		log.Fatal(err)
//	}
//	defer d.Close()
//	r, err := lambdamart.Train(ctx, p, d)
//	if err != nil {
//		log.Fatal(err)
//	}
//	err = lambdamart.WriteModel("model.txt", r.Model)
//
// For data in memory, call [Bin] instead of [Load]; the caller's own objective and metrics are in
// Params.Options. [Start] returns a run that the caller steps. [ReadModel] reads what [WriteModel] or
// other programs wrote; [Score], [ScoreQuery] and [Evaluate] use a model, [Compare] compares judgments, and
// [Export] writes for other engines. [LoadNetworkData], [ReadNetworkData] and [TrainNetwork] are for
// networks, whose models can also be read, written, scored and evaluated by the functions above. The studies
// of package study train many times on one [data.Loaded].
//
// # Terms
//
// A row is a judged document: its relevance label, its query, and its feature values. The rows of a query
// follow each other. Features are numbered from 0, and LETOR text ("5:0.3" is feature 5) begins at 1, so that
// feature 0 of such data is always zero. The bins of all features are computed from the training data, and
// validation data is put into the same bins; its metrics are evaluated after each tree, and decide when
// training stops if Params.Patience is set. Models depend on the data and the parameters, and on nothing
// else: not on the number of threads, and for trees not on the CPU.
//
// Nothing is printed: remarks for the user are returned as values, such as data.Set.Remarks, Params.Cautions,
// scoring.Summary.Remarks and evaluate.Anomalies.Remarks.
//
// # Where the rest is
//
//	dataset            rows in memory as data: FromRows, NewDense
//	objective, metric  losses and metrics, and how to write one
//	training           parameters, rounds and results that trees and networks share; checkpoints
//	booster, tree      parameters of trees, and how they grow; models of trees, and scorers for speed
//	nnbaseline         parameters of networks, and how they are trained
//	scoring            scores, leaves and contributions of features of whole files, also TREC runs
//	evaluate           rankings from models, scores, tables and TREC runs, and their comparison
//	io/data, io/model  data files: forms, columns, remarks; model files: formats, targets, verification
//	study              folds, search for parameters and features, comparison of rankers, presets
package lambdamart

import (
	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
	"github.com/lambdamart/lambdamart/tree"
)

// Params are the parameters of boosted trees, and those of reading their data. Begin with
// [DefaultParams]: zero is a value in every field of booster.Params, never a request for the default.
// Names and meanings are LightGBM's where it has the parameter. docs/parameters.md lists them all.
type Params struct {
	booster.Params

	// Data holds the options of reading files: Data.Label, Data.Query and so on choose the columns of tables,
	// and Data.Progress is called while files are read. The zero value detects formats and columns. If
	// Data.Workers is 0, NumThreads is used.
	Data data.LoadOptions

	// InitialModel, if it is not nil, is the model that training continues from; [ReadModel] reads one of
	// this program or another. Scores begin at its scores plus the initial scores of the data, bins are
	// computed from the new data, and the result has the trees of InitialModel followed by NumIterations new
	// ones. Features are matched as [tree.Ensemble.Matched] does. Load and Bin need it for the scores, and
	// Train for the trees.
	InitialModel *tree.Ensemble

	// Options hold the caller's own objective and metrics, functions that are called in the course of a run,
	// checkpoints and the profile. Only [Train] and [Start] use them. Runs at the same time need checkpoints and
	// profiles of their own. They set Options.Before and Options.Guard, which depend on the data.
	Options booster.Options
}

// DefaultParams returns LightGBM's defaults for its lambdarank objective, for data whose form is detected
// from its content.
func DefaultParams() Params {
	return Params{Params: booster.DefaultParams(), Data: defaultReading()}
}

// Table returns the parameters of trees and of the layout of data, bound to the fields of p.
func (p *Params) Table() param.Table {
	return append(p.Params.Table(), p.Data.Layout.Table()...)
}

// Set sets one parameter from text, under its name or one of its aliases, as in a configuration file:
// p.Set("label_column", "name:grade"). It does not change p if it returns an error.
func (p *Params) Set(name, value string) error { return set(p, (*Params).Table, name, value) }

// NetworkParams are the parameters of neural rankers, and those of reading their data. Begin
// with [DefaultNetworkParams].
type NetworkParams struct {
	nnbaseline.Params

	// Data is as in Params; Data.Given has no meaning.
	Data data.LoadOptions

	// Options is as in Params, without an objective. Only [TrainNetwork] uses it.
	Options training.Options
}

// DefaultNetworkParams returns the defaults of package nnbaseline, for data whose form is detected
// from its content.
func DefaultNetworkParams() NetworkParams {
	return NetworkParams{Params: nnbaseline.DefaultParams(), Data: defaultReading()}
}

// table returns the parameters of networks and of the layout of data, bound to the fields of p.
func (p *NetworkParams) table() param.Table {
	return append(p.Params.Table(), p.Data.Layout.Table()...)
}

// Set sets one parameter from text, as [Params.Set] does.
func (p *NetworkParams) Set(name, value string) error {
	return set(p, (*NetworkParams).table, name, value)
}

// set sets a parameter of p, unless it returns an error.
func set[P any](p *P, table func(*P) param.Table, name, value string) error {
	changed := *p
	if _, err := table(&changed).Apply([]param.Setting{{Name: name, Value: value}}); err != nil {
		return err
	}
	*p = changed
	return nil
}

func defaultReading() data.LoadOptions { return data.LoadOptions{Layout: data.DefaultLayout()} }
