package data

import (
	"errors"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/internal/widened"
	"github.com/lambdamart/lambdamart/scoring"
	"github.com/lambdamart/lambdamart/tree"
)

// ErrFeatureZero explains that the model and the data number features differently.
var ErrFeatureZero = errors.New("the model uses feature 0, which no row of the LETOR text has: it was " +
	"probably trained on a matrix whose first column is feature 1, as scikit-learn's loader makes it; then " +
	"set feature_base=1")

// ErrUnknownCategories means that a model of LightGBM has the categories of a data frame, and that its file
// does not record the columns of the frame to which they belong.
var ErrUnknownCategories = errors.New("the model has the categories of a data frame (pandas_categorical), " +
	"and which features they belong to cannot be known from it; " +
	"score the data frame in Python, or add a line [category_features: 0,5] with the numbers of the frame's " +
	"columns of categories, from 0, after the line parameters: of the model file")

// OpenFor opens a data file whose rows are to be scored by m: columns of a table are matched to the features
// of m by name, and o.Features is set to them. Package scoring streams the outputs of a model for the rows of
// such a file: scores, leaves, contributions of features, a TREC run. Close the file after use.
//
// LETOR text is numbered as that on which m was trained, if m knows that (feature_base=1). The error wraps
// [ErrFeatureZero] if m uses feature 0 and the text has none; other errors come from
// [Open].
func OpenFor(m scoring.Model, path string, o Options) (*File, error) {
	o.Features = FeaturesOf(m)
	if widened.Of(m) != nil {
		o.Once = false // the queries must be known before some ways of scoring
	}
	return Open(path, o)
}

// FeaturesOf returns the features that the columns of a table must have to be scored by m.
func FeaturesOf(m scoring.Model) *dataset.Features {
	f := &dataset.Features{Names: m.FeatureNames(), Used: m.UsedFeatures(), Infinite: tree.Compares(m)}
	if c := widened.Of(m); c != nil {
		f.Names, f.Used = f.Names[:c.Raw], c.Sources(f.Used)
	}
	if e, ok := m.(*tree.Ensemble); ok {
		f.Label, f.Dictionaries = e.LabelIndex, e.Dictionaries
		if e.UnknownCategories {
			f.NoTable = ErrUnknownCategories
		}
		f.Numbering = provenance.NumberingOf(e.Parameters)
		f.NoZero = len(e.Features) > 0 && e.Features[0].Range == "none"
	} else if network, ok := m.(interface{ Parameters() map[string]string }); ok {
		f.Numbering = provenance.NumberingIn(network.Parameters()[provenance.Numbering])
	}
	return f
}
