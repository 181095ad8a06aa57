package booster

import (
	"fmt"
	"math"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/training"
)

// Data is ranking data whose Values are bins. All data of a run must be binned by the same
// [histogram.Mapper].
type Data = training.Data[*histogram.Matrix]

// checkNames returns an error for names of features that a model file cannot hold.
func checkNames(names []string) error {
	for f, name := range names {
		if fits := dataset.FeatureName(name); name == "" || fits != name {
			return fmt.Errorf("feature %d has the name %q, and names in models have at least one character, no "+
				"blanks and no control characters (dataset.FeatureName replaces them)", f, name)
		}
	}
	return nil
}

// checkBins returns an error for validation data that was binned by another mapper than the training data,
// and for more bins than an int32 can count.
func checkBins(train Data, valid []Data) error {
	if _, bins := train.Values.Mapper.Size(); bins > math.MaxInt32 {
		return fmt.Errorf("the features have %d bins in all, and %d is the most; bin the data with a smaller "+
			"max_bin", bins, math.MaxInt32)
	}
	for _, d := range valid {
		if d.Values.Mapper != train.Values.Mapper {
			return fmt.Errorf("data %q: binned by another mapper than the training data", d.Name)
		}
	}
	return nil
}
