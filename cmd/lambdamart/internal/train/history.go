package train

import (
	"slices"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/explain"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
)

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
