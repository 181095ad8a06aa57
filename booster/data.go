package booster

import (
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/histogram"
)

// Data is binned ranking data. All data of one training must be binned by the
// same [histogram.Mapper]. Training only reads it.
type Data struct {
	Name string // for messages and for Params.StopSet, such as a file's name
	Meta *dataset.Meta
	Bins *histogram.Matrix // as many rows as Meta
}
