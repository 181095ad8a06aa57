package booster

import (
	"slices"
	"strconv"

	"github.com/lambdamart/lambdamart/internal/histogram"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/training"
	"github.com/lambdamart/lambdamart/tree"
)

// Data is ranking data whose Values are bins. All data of a run must be loaded together, so that it has the
// bins of the training data.
type Data = training.Data[*Bins]

// Bins are the bins of the rows of a data set, which package io/data makes of data in any form, and BinParams
// say how they are found.
type (
	Bins      = histogram.Matrix
	BinParams = histogram.BinParams
)

// Result is a finished run.
type Result = training.Result[*tree.Ensemble]

// Options lets a caller observe a run, and train with their own objective and metrics.
type Options struct {
	training.Options

	// Objective is the caller's own objective. If it is not nil, Params.Objective and the parameters of
	// built-in objectives are neither used nor checked, except that LabelGain sets the gains of metrics.
	// [objective.ModelNameOf] returns what the model's file calls the objective.
	Objective objective.Objective

	// Profile, if not nil, receives the times of the phases. Measuring reads the clock a few times for each
	// leaf.
	Profile *Profile

	// Before, if not nil, is the model that training continues from, with the features of the data, whose
	// initial scores contain its scores. Models begin with its trees. Random draws continue after those of
	// these trees, so a run in two parts gives the same trees as a single run, unless active_fraction=auto
	// chooses the share of rows of each tree: it starts anew, since models do not keep what it has measured.
	Before *tree.Ensemble

	// Guard, if not nil, begins a use of the data, and returns the function that ends it, which may set the
	// error: the method Guard of what package io/data has loaded. Train uses the data once; otherwise, each
	// method of the run that needs the data does.
	Guard func(err *error) (end func())
}

// use begins a use of the data.
func (o *Options) use(err *error) (end func()) {
	if o.Guard == nil {
		return func() {}
	}
	return o.Guard(err)
}

// features returns the names of the model's columns and the ranges of their values.
func features(train Data) []tree.Feature {
	all := make([]tree.Feature, len(train.Meta.Features))
	for f, name := range train.Meta.Features {
		all[f] = tree.Feature{Name: name, Range: rangeOf(&train.Values.Mapper.Features[f])}
	}
	return all
}

// rangeOf returns a feature's entry in the feature_infos of a LightGBM model: "[min:max]" of the sampled
// values; the categories of all bins, such as "-1:3:0:7", with -1 for bin 0; or "none" for a constant
// feature.
func rangeOf(f *histogram.FeatureBins) string {
	if f.Constant() {
		return "none"
	}
	if f.IsCategorical() {
		text := []byte("-1")
		for _, c := range f.Categories {
			text = strconv.AppendInt(append(text, ':'), int64(c), 10)
		}
		return string(text)
	}
	format := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	return "[" + format(f.Min) + ":" + format(f.Max) + "]"
}

// dictionaries returns the texts of the categories that have a bin. The model treats all others as unseen.
func dictionaries(train Data) map[int][]string {
	var all map[int][]string
	for f, words := range train.Meta.Dictionaries {
		bins := train.Values.Mapper.Features[f].Categories
		if len(bins) == 0 {
			continue
		}
		if all == nil {
			all = map[int][]string{}
		}
		all[f] = words[:min(len(words), int(slices.Max(bins))+1)]
	}
	return all
}
