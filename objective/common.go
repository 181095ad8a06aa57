package objective

import (
	"errors"
	"math"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/exact"
)

// multiply multiplies the derivatives by the documents' weights, unless there are none.
func multiply(dst Gradients, weights []float64) {
	for i, w := range weights {
		dst.Lambda[i] *= w
		dst.Hessian[i] *= w
	}
}

// checkLabels returns the error for the first label that check refuses, nil if there is none.
func checkLabels(data *dataset.Meta, check func(label float64) error) error {
	for row, label := range data.Labels {
		if err := check(label); err != nil {
			return data.LabelError(row, err)
		}
	}
	return nil
}

// checkFinite is a check for [checkLabels] that accepts any finite label.
func checkFinite(label float64) error {
	if finite(label) {
		return nil
	}
	return errors.New("labels must be finite")
}

// sigmoid returns 1 / (1 + e^-x), in the form that does not overflow.
func sigmoid(x float64) float64 {
	if x < 0 {
		e := exact.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + exact.Exp(-x))
}

// finite reports whether x is neither NaN nor infinite.
func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }
