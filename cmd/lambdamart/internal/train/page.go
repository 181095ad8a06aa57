package train

import (
	"context"
	"slices"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/explain"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
	"github.com/lambdamart/lambdamart/tree"
)

// writeReport writes the page of the trained model, or says that there is none because of a signal.
func (f *forest) writeReport(ctx context.Context, all *data.Loaded, result *booster.Result) error {
	if f.Report == "" || result.Kept == 0 || f.env.Peers.Rank() > 0 {
		return nil
	}
	err := f.writePage(ctx, all, result)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		f.messages.Warn("report=" + f.Report +
			": not written, because of the signal; lambdamart explain report= writes " +
			"such a page of a model and data")
		return cause
	}
	return err
}

// writePage writes the page. It explains the model for documents of the first validation set or, without one,
// of the training data.
func (f *forest) writePage(ctx context.Context, all *data.Loaded, result *booster.Result) error {
	report := ofTraining(&f.Trees, all, f.judged, result)
	report.Path = f.OutputModel
	if f.caller.Output != nil {
		report.Path = "of " + all.Training.Name
		ctx = context.WithoutCancel(ctx) // results are written even if the run was canceled
	} else if f.OutputModel != "-" {
		m, hash, err := cli.ReadModel(f.OutputModel, f.messages)
		if err != nil {
			return err
		}
		if trees, ok := m.(*tree.Ensemble); ok {
			report.Model, report.Hash = trees, hash
		}
	}
	for _, set := range report.Sets {
		if f.caller.IsPrivate(set[1]) {
			set[1] = ""
		}
	}
	documents := PageDocuments{Path: f.Data, Layout: f.Layout, Workers: f.Trees.NumThreads}
	documents.Name = f.caller.Name(0, f.Data)
	documents.Sets = slices.DeleteFunc(append([]string{f.Data}, f.Valid...), f.caller.IsPrivate)
	if len(f.Valid) > 0 {
		documents.Path, documents.Name = f.Valid[0], f.caller.Name(1, f.Valid[0])
	}
	return WritePage(ctx, f.Report, report, documents, f.messages)
}

// ofTraining returns the page of a model that was just trained, without its path and without figures of
// documents.
func ofTraining(p *booster.Params, all *data.Loaded, judged history, result *booster.Result) (
	report *explain.ModelReport) {
	report = &explain.ModelReport{Model: result.Model, Kept: result.Kept, Rounds: judged}
	for _, s := range append([]*data.Set{all.Training}, all.Validation...) {
		rows, queries := wording.Thousands(s.Meta.NumRows()), wording.Thousands(len(s.Meta.Queries))
		report.Sets = append(report.Sets, []string{s.Name, s.Path, rows, queries})
	}
	for _, row := range p.Table() {
		report.Settings = append(report.Settings, param.Setting{Name: row.Name, Value: row.Value.String()})
	}
	return report
}

// history holds the rounds of a training run in which metrics were evaluated.
type history []training.Round

// Add adds a round if it was evaluated. It drops the values of single queries, which would take much memory
// over many rounds.
func (h *history) Add(r training.Round) {
	if len(r.Evaluations) == 0 {
		return
	}
	r.Evaluations = slices.Clone(r.Evaluations)
	for i := range r.Evaluations {
		r.Evaluations[i].Result.PerQuery = nil
	}
	*h = append(*h, r)
}
