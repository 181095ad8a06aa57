package booster

import (
	"slices"
	"strconv"

	"github.com/lambdamart/lambdamart/internal/histogram"
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
