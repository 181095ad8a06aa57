package train

import (
	"context"
	"fmt"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/modelpage"
	"github.com/lambdamart/lambdamart/explain"
	"github.com/lambdamart/lambdamart/internal/digits"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/tree"
)

// writeReport writes the page of the model that was written. It explains the model for documents of the first
// validation set or, without one, of the training data.
func (r *run) writeReport(ctx context.Context, all *data.Loaded, judged history, result *booster.Result) error {
	if r.Report == "" || result.Kept == 0 || r.ranks.Rank() > 0 {
		return nil
	}
	report := &explain.ModelReport{Path: r.OutputModel, Model: result.Model, Kept: result.Kept, Curves: judged.curves()}
	if r.OutputModel != "-" {
		m, hash, err := cli.ReadModel(r.OutputModel)
		if err != nil {
			return err
		}
		if trees, ok := m.(*tree.Ensemble); ok {
			report.Model, report.Hash = trees, hash
		}
	}
	for _, s := range append([]*data.Set{all.Training}, all.Validation...) {
		report.Sets = append(report.Sets, []string{s.Name, s.Path, digits.Thousands(s.Meta.NumRows()), digits.Thousands(len(s.Meta.Queries))})
	}
	for _, p := range r.Trees.Table() {
		report.Settings = append(report.Settings, [2]string{p.Name, p.Value.String()})
	}
	documents := modelpage.Documents{Path: r.Data, Sets: append([]string{r.Data}, r.Valid...), Layout: r.Layout, Workers: r.Trees.NumThreads}
	if len(r.Valid) > 0 {
		documents.Path = r.Valid[0]
	}
	return modelpage.Write(ctx, r.Report, report, documents, r.messages)
}

// curves returns the metrics on each set by round.
func (h history) curves() []explain.Curve {
	var curves []explain.Curve
	place := map[[2]string]int{}
	for _, round := range h {
		for _, e := range round.Evaluations {
			set := e.Set
			if round.Model > 0 {
				set = fmt.Sprintf("%s, model %d", set, round.Model)
			}
			key := [2]string{set, e.Result.Metric}
			at, known := place[key]
			if !known {
				at = len(curves)
				place[key] = at
				curves = append(curves, explain.Curve{Metric: e.Result.Metric, Set: set})
			}
			curves[at].Iteration = append(curves[at].Iteration, round.Number)
			curves[at].Value = append(curves[at].Value, e.Result.Mean)
		}
	}
	return curves
}
