package lambdamart

import (
	"context"

	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/io/data/table"
	"github.com/lambdamart/lambdamart/scoring"
	"github.com/lambdamart/lambdamart/tree"
)

// Score scores every row of a data file, in the order of the file. The columns of a table are matched
// to the model's features by name; labels are not needed. What a person should know about the features
// of data and model is in the Notes and Warnings of [scoring.Scored.Summary].
func Score(ctx context.Context, p Params, m Model, path string) (*scoring.Scored, error) {
	compiled, err := Compile(m)
	if err != nil {
		return nil, err
	}
	src, err := data.Open(path, data.Options{Layout: p.Data, Features: featuresOf(m), NoLabels: true, Workers: p.NumThreads})
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return scoring.Scores(compiled).All(ctx, src)
}

// featuresOf returns the features that the columns of a table must have to be scored.
func featuresOf(m Model) *table.Features {
	f := &table.Features{Names: m.FeatureNames(), Used: m.UsedFeatures()}
	if e, ok := m.(*tree.Ensemble); ok {
		f.Label = e.LabelIndex
	}
	return f
}
