package lambdamart

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/evaluate"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/metric"
)

// Evaluate ranks the documents of each query of a data file by a model, and judges the rankings by
// each of the metrics, of which there must be at least one. A metric carries its convention:
// metric.NDCG(metric.LightGBM(), 10) is the number that LightGBM prints.
//
// Remarks for the user are in Judgment.Anomalies and Judgment.Scoring. Judgment.System is path. Evaluate sets
// the fields Features, Docs, NoLabels and Once of o itself. Errors come from [data.OpenFor] and
// [evaluate.Judge]. Package evaluate also judges rankings that come from scores, tables and TREC runs.
func Evaluate(ctx context.Context, m Model, path string, o data.Options,
	metrics ...metric.Metric) (*evaluate.Judgment, error) {
	compiled, err := Compile(m)
	if err != nil {
		return nil, err
	}
	o.Docs, o.NoLabels, o.Once = slices.ContainsFunc(metrics, ranksByDocument), false, false
	src, err := data.OpenFor(m, path, o)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return evaluate.Judge(ctx, evaluate.FromModel(path, src, compiled), metrics,
		evaluate.Options{Workers: o.Workers})
}

// ranksByDocument reports whether a metric needs document ids.
func ranksByDocument(m metric.Metric) bool { return m.Convention().Ties == metric.ByDocument }

// ErrNoResult is wrapped by the error of [Compare] for a judgment without a result.
var ErrNoResult = errors.New("it has no result; judge by a metric")

// Compare compares every other judgment with the first one, query by query, by the first metric of each and
// the default tests of package metric. All judgments must be of the same queries. Judgment.System is the name
// of each in the result, and may be set before the call. [evaluate.Compare] offers more, and lists the
// errors.
func Compare(judgments ...*evaluate.Judgment) (*evaluate.Comparison, error) {
	var systems []evaluate.Values
	for i, j := range judgments {
		if len(j.Results) == 0 {
			return nil, fmt.Errorf("judgment %d: %w", i, ErrNoResult)
		}
		systems = append(systems, j.Values(0))
	}
	return evaluate.Compare(systems, metric.DefaultTestOptions(), evaluate.WithFirst)
}
