package train

import (
	"context"
	"slices"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/modelpage"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/tree"
)

// writeReport writes the page of the model that was written. It explains the model for documents of the first
// validation set or, without one, of the training data.
func (r *run) writeReport(ctx context.Context, all *data.Loaded, judged modelpage.History, result *booster.Result) error {
	if r.Report == "" || result.Kept == 0 || r.ranks.Rank() > 0 {
		return nil
	}
	report := modelpage.OfTraining(&r.Trees, all, judged, result)
	report.Path = r.OutputModel
	if r.caller.Output != nil {
		report.Path = "of " + all.Training.Name
		ctx = context.WithoutCancel(ctx) // the caller gets what it asked for, however the run ended
	} else if r.OutputModel != "-" {
		m, hash, err := cli.ReadModel(r.OutputModel, r.messages)
		if err != nil {
			return err
		}
		if trees, ok := m.(*tree.Ensemble); ok {
			report.Model, report.Hash = trees, hash
		}
	}
	for _, set := range report.Sets {
		if r.caller.IsPrivate(set[1]) {
			set[1] = ""
		}
	}
	documents := modelpage.Documents{Path: r.Data, Layout: r.Layout, Workers: r.Trees.NumThreads}
	documents.Name = r.caller.Name(0, r.Data)
	documents.Sets = slices.DeleteFunc(append([]string{r.Data}, r.Valid...), r.caller.IsPrivate)
	if len(r.Valid) > 0 {
		documents.Path, documents.Name = r.Valid[0], r.caller.Name(1, r.Valid[0])
	}
	return modelpage.Write(ctx, r.Report, report, documents, r.messages)
}
