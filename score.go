package lambdamart

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/evaluate"
	"github.com/lambdamart/lambdamart/internal/widened"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/nnbaseline"
	"github.com/lambdamart/lambdamart/scoring"
	"github.com/lambdamart/lambdamart/tree"
)

// ErrWidth is wrapped by the error of [ScoreRows] for a row whose length differs from the number of the
// model's features.
var ErrWidth = errors.New("a row must have a value for each feature of the model")

// ErrContext is wrapped by the error of [ScoreRows] for a model with query context, whose scores depend
// on all documents of a query.
var ErrContext = errors.New("score the documents of a query together, by ScoreQuery; if rows have the " +
	"context already, score by the model's Precomputed()")

// Compile returns the model in its fastest form: trees as a [*tree.Scorer], whose scores equal those
// of the ensemble in every bit, and any other model as it is. Compile once to score often; any number
// of goroutines may use the result.
func Compile(m Model) (Model, error) {
	e, ok := m.(*tree.Ensemble)
	if !ok {
		return m, nil
	}
	return modelOr(tree.Compile(e))
}

// Predictions returns the model whose scores are what LightGBM's predict returns: probabilities for the
// objectives binary and cross_entropy, and the sums of the trees for all rankers. m itself scores sums. It is
// not for training, nor to be written.
func Predictions(m Model) Model {
	if e, ok := m.(*tree.Ensemble); ok {
		return e.Predictions()
	}
	return m
}

// Probabilities returns the model whose scores are probabilities that a document is good. The error for a
// model that has none wraps [tree.ErrNoProbability].
func Probabilities(m Model) (Model, error) {
	switch m := m.(type) {
	case *tree.Ensemble:
		return modelOr(m.Probabilities())
	case *nnbaseline.Model:
		return modelOr(m.Probabilities())
	}
	return nil, fmt.Errorf("%T: %w", m, tree.ErrNoProbability)
}

// Calibrated returns the model with a calibration, in place of its former one. Only models that [WriteModel]
// writes can have one.
func Calibrated(m Model, c *tree.Calibration) (Model, error) {
	switch m := m.(type) {
	case *tree.Ensemble:
		return m.Calibrated(c), nil
	case *nnbaseline.Model:
		return m.Calibrated(c), nil
	}
	return nil, fmt.Errorf("%T: %w", m, ErrModel)
}

// CalibrationOf returns the calibration of a model; nil if it has none.
func CalibrationOf(m Model) *tree.Calibration {
	switch m := m.(type) {
	case *tree.Ensemble:
		return m.Calibration
	case *nnbaseline.Model:
		return m.Calibration()
	}
	return nil
}

// ScoreRows returns the score of each row, such as the documents of a query. A row has
// m.NumFeatures() values; another length is an error that wraps [ErrWidth]. A model with query context
// is refused with an error that wraps [ErrContext]. Model.Score does the same
// for rows that lie in one slice, without allocating.
func ScoreRows(m Model, rows [][]float64) ([]float64, error) {
	if c := widened.Of(m); c != nil {
		return nil, fmt.Errorf("%d of the model's features are query context: %w", len(c.List), ErrContext)
	}
	return ScoreQuery(m, rows)
}

// flat returns the values of rows, one row after the other. A row has the given number of values.
func flat(rows [][]float64, width int) ([]float64, error) {
	values := make([]float64, 0, len(rows)*width)
	for i, row := range rows {
		if len(row) != width {
			return nil, fmt.Errorf("row %d has %s, and the model %s: %w", i, wording.Count(len(row), "value"),
				wording.Count(width, "feature"), ErrWidth)
		}
		values = append(values, row...)
	}
	return values, nil
}

// Score returns the score of every row of a data file, in the order of the file. The columns of a table are
// matched to the model's features by name; labels and queries are not needed. Remarks for the user on the
// features of data and model are in the Warnings and Notes of the summary.
//
// The zero value of o suits files whose layout is detected from their content. Score sets its fields
// Features, NoLabels and Once itself. Errors come from [data.OpenFor] and from the model. To score a file
// without keeping all scores in memory, or by query, use data.OpenFor and package scoring.
func Score(ctx context.Context, m Model, path string, o data.Options) ([]float64, scoring.Summary, error) {
	compiled, err := Compile(m)
	if err != nil {
		return nil, scoring.Summary{}, err
	}
	o.NoLabels, o.Once = true, true
	src, err := data.OpenFor(m, path, o)
	if err != nil {
		return nil, scoring.Summary{}, err
	}
	defer src.Close()
	var scores []float64
	summary, err := scoring.Scores(compiled).Stream(ctx, src, func(_ *dataset.Block, numbers []float64) error {
		scores = append(scores, numbers...)
		return nil
	})
	if err != nil {
		return nil, scoring.Summary{}, err
	}
	return scores, summary, nil
}

// ScoreQuery returns the score of each document of one query. A row has m.NumFeatures() values, minus those
// of query context, which are computed from all rows. Another length is an error that wraps [ErrWidth].
// Values are finite, or NaN where missing. For a model without query context it is [ScoreRows].
func ScoreQuery(m Model, rows [][]float64) ([]float64, error) {
	features := widened.FeaturesOf(m)
	width, _ := features.Raw()
	values, err := flat(rows, width)
	if err != nil {
		return nil, err
	}
	scores := make([]float64, len(rows))
	return scores, m.Score(scores, features.Rows(values, len(rows)))
}

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
// of each in the result, and may be set before the call. [evaluate.Compare]
// offers more, and lists the errors.
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
