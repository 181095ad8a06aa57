package booster

import (
	"fmt"

	"github.com/lambdamart/lambdamart/histogram"
	"github.com/lambdamart/lambdamart/training"
)

// Data is ranking data whose Values are bins. All data of one training must be binned by the same
// [histogram.Mapper].
type Data = training.Data[*histogram.Matrix]

// checkBins returns an error for validation data whose bins are not those of the
// training data.
func checkBins(train Data, valid []Data) error {
	for _, d := range valid {
		if d.Values.Mapper != train.Values.Mapper {
			return fmt.Errorf("data %q: binned by another mapper than the training data", d.Name)
		}
	}
	return nil
}
