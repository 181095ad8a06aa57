package binned

import (
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/histogram"
)

// Set is binned ranking data.
type Set struct {
	Meta *dataset.Meta     // without document ids
	Bins *histogram.Matrix // as many rows as Meta, as many features as its mapper

	// The parameters with which the bins were found.
	Params      histogram.BinParams
	FeatureBase int // number of the feature of LETOR text that is column 0: 0 or 1
}
