package booster

import (
	"fmt"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/par"
)

// weightError means that the weight of one row is so much larger than most others that the gradients of the
// other rows would be rounded to zero.
type weightError struct {
	Row            int // from 0
	Weight, Median float64
}

func (e *weightError) Error() string {
	return fmt.Sprintf("the weight %.4g of row %d is %.4g times the median weight of %.4g: more than 2^34 "+
		"times, the gradients of other rows vanish; make it smaller, or set the others to 0",
		e.Weight, e.Row+1, e.Weight/e.Median, e.Median)
}

// maxWeightRatio is about the largest ratio of two weights at which a model still learns from both rows:
// packed sums have 30 bits (package binsum), and a heavy row's own gradient shrinks as it is fitted. From
// about 2^40 on, there is no tree.
const maxWeightRatio = 1 << 34

// checkWeights returns a [*weightError] for the largest weight if it is more than maxWeightRatio times the
// median of all nonzero weights. A few weights near zero are allowed, because their rows do not matter.
//
// If peers share the data, the largest weight and the median are those of all peers. Only the peer that has
// the row with the largest weight returns the error.
func checkWeights(data *dataset.Meta) error {
	g := data.Part.Group()
	if !g.Any(len(data.Weights) > 0) {
		return nil
	}
	bounds := []float64{0, math.Inf(-1)} // the largest weight, and minus the smallest
	for _, w := range data.Weights {
		if bounds[0] = max(bounds[0], w); w > 0 {
			bounds[1] = max(bounds[1], -w)
		}
	}
	g.MaxFloats(bounds)
	largest, smallest := bounds[0], -bounds[1]
	if largest == 0 || largest/maxWeightRatio <= smallest { // the usual case, which needs no median
		return nil
	}
	median := medianOf(data.Weights, data.Part)
	if at := slices.Index(data.Weights, largest); at >= 0 && largest/maxWeightRatio > median {
		return &weightError{at, largest, median}
	}
	return nil
}

// medianOf returns the median of the weights of all peers that are not zero.
func medianOf(weights []float64, part *dataset.Part) float64 {
	var s selection
	for _, w := range weights {
		if w > 0 {
			s.keys = append(s.keys, math.Float64bits(w))
		}
	}
	pool := par.New(1)
	defer pool.Close()
	return math.Float64frombits(s.smallest(pool, part, part.Group().SumOf(len(s.keys))/2+1))
}
