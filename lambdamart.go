// Package lambdamart trains, stores, scores and evaluates models that rank documents:
// gradient-boosted trees on the gradients of LambdaMART and, for comparison, neural rankers.
//
// This package connects the packages that do the work, so that a whole program needs one import, and
// one that needs more learns from here where to look:
//
//	training       files          ── Load ─┬─► *data.Loaded ── Train ──► *booster.Result: Model,
//	               matrices       ── Bin ──┘                              best round, why training ended
//
//	model files    Model          ── WriteModel ─► model file ── ReadModel ─► Model
//	               Model          ── Export ─────► model file of another program
//
//	using models   rows of values ── Model.Score, ScoreRows ─► scores
//	               data file      ── Score ──────────────────► scores
//	               data file      ── Evaluate ───────────────► *evaluate.Judgment ── Compare ─► *evaluate.Comparison
//
// Networks are trained by [LoadNetworkData] or [ReadNetworkData], and [TrainNetwork]. Every
// function but [Export] takes their models too.
//
// # Terms
//
// A row is a judged document: its relevance label, its query, and its feature values. The rows of a
// query follow each other. Features are numbered from 0, and LETOR text ("5:0.3" is feature 5) begins
// at 1, so that feature 0 of such data is always zero. Training data decides the bins of all
// features. Validation data is binned by them; its metrics are evaluated after each tree, and decide
// when training stops if Params.Patience is set. Models depend on the data and the parameters, and on
// nothing else: not on the number of threads, and for trees not on the CPU.
//
// # A program
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
// With a matrix in memory, and an objective and a metric of the program's own, which stops training:
//
//	rows, err := dataset.FromRows(values, labels, querySizes)
//	p.StopMetric = mine.Name()
//	d, err := lambdamart.Bin(ctx, p, rows, validationRows)
//	r, err := lambdamart.Train(ctx, p, d, lambdamart.WithObjective(myLoss), lambdamart.WithMetrics(mine))
//
// # Where the rest is
//
//	dataset        rows in memory as data: FromRows, FromValues, NewDense
//	objective      losses, and how to write one, for WithObjective
//	metric         metrics and their conventions, and how to write one, for WithMetrics
//	training       rounds, evaluation and early stopping: Round, Result
//	booster        parameters of trees, and how they grow
//	nnbaseline     parameters of networks, and how they are trained
//	tree           models of trees: Ensemble, and Scorer for speed
//	scoring        scores, leaves and contributions of features of whole files, also TREC runs
//	evaluate       rankings from models, scores, tables and TREC runs, and their comparison
//	io/data        data files: their forms, their columns, remarks about them
//	io/model       model files: formats, targets of exports, verification
//	study             cross-validation: folds of whole queries, best iteration, out-of-fold scores; stores and events
//	study/preset      parameters that suit the size of the data, without tuning: Apply
//	study/tuning      the search for parameters
//	study/curve       whether more training queries help
//	study/selection   the features that are needed
//	study/experiment  several rankers on several folds and seeds, with a report
//
// Nothing is printed: what a person should know comes back as values, such as data.Set.Remarks,
// Params.Cautions, scoring.Summary.Warnings and evaluate.Anomalies.Warnings.
package lambdamart

import (
	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/tree"
)

// Params are the parameters of boosted trees, and those of reading their data. Begin with
// [DefaultParams]: zero is a value in every field of booster.Params, never a request for the default.
// Names and meanings are LightGBM's where it has the parameter. docs/parameters.md lists them all.
type Params struct {
	booster.Params

	// Data says how files are read: Data.Label, Data.Query and so on choose the columns of tables,
	// Data.Progress is called as files are read. The zero value finds everything out from the files.
	// Workers is NumThreads if it is 0.
	Data data.LoadOptions

	// InitialModel, unless it is nil, is a model that training continues from, of this program or of
	// another ([ReadModel]): scores begin at its scores, plus the initial scores of the data, bins are
	// those of the new data, NumIterations new trees are grown, and the result has its trees before
	// them. Features are matched as [tree.Ensemble.Matched] does. Load and Bin need it for the scores,
	// and Train for the trees.
	InitialModel *tree.Ensemble
}

// DefaultParams returns LightGBM's defaults for its lambdarank objective, for data whose form is found
// out from its content.
func DefaultParams() Params {
	return Params{Params: booster.DefaultParams(), Data: defaultReading()}
}

// Table returns the parameters of trees and of the layout of data, bound to the fields of p.
func (p *Params) Table() param.Table {
	return append(p.Params.Table(), p.Data.Layout.Table()...)
}

// Set sets one parameter from text, under its name or one of its aliases, as in a configuration file:
// p.Set("label_column", "name:grade"). It does not change p if it returns an error.
func (p *Params) Set(name, value string) error {
	changed := *p
	if err := set(changed.Table(), name, value); err != nil {
		return err
	}
	*p = changed
	return nil
}

// NetworkParams are the parameters of neural rankers, and those of reading their data. Begin with
// [DefaultNetworkParams].
type NetworkParams struct {
	nnbaseline.Params

	// Data is as in Params; Data.Given has no meaning.
	Data data.LoadOptions
}

// DefaultNetworkParams returns the defaults of package nnbaseline, for data whose form is found out
// from its content.
func DefaultNetworkParams() NetworkParams {
	return NetworkParams{Params: nnbaseline.DefaultParams(), Data: defaultReading()}
}

// Table returns the parameters of networks and of the layout of data, bound to the fields of p.
func (p *NetworkParams) Table() param.Table {
	return append(p.Params.Table(), p.Data.Layout.Table()...)
}

// Set sets one parameter from text, as [Params.Set] does.
func (p *NetworkParams) Set(name, value string) error {
	changed := *p
	if err := set(changed.Table(), name, value); err != nil {
		return err
	}
	*p = changed
	return nil
}

func set(t param.Table, name, value string) error {
	_, err := t.Apply([]param.Setting{{Name: name, Value: value}})
	return err
}

func defaultReading() data.LoadOptions { return data.LoadOptions{Layout: data.DefaultLayout()} }
