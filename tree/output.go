package tree

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/lambdamart/lambdamart/internal/exact"
)

// Predictions returns the model whose scores are what LightGBM's predict returns: the sum of the trees,
// transformed as the objective wants. They are probabilities for binary and cross_entropy, and equal the sums
// for all rankers. It shares the trees with e.
func (e *Ensemble) Predictions() *Ensemble {
	transformed := *e
	transformed.output = outputOf(e.Objective)
	return &transformed
}

// ErrNoProbability is wrapped by errors for a model whose scores are not probabilities.
var ErrNoProbability = errors.New(
	"the scores of this model are not probabilities; lambdamart calibrate makes a model " +
		"that has them of labeled data, and so does training with objective=binary")

// errPartProbability is for a part of the trees of a calibrated model.
var errPartProbability = fmt.Errorf("%w; the calibration that it has is of the scores of all its trees: "+
	"leave num_iteration_predict and start_iteration_predict out", ErrNoProbability)

// Probabilities returns the model whose scores are probabilities that a document is good: by its calibration
// or, of models of the objectives binary and cross_entropy without one, 1/(1+e^-s). It shares the trees with
// e. The error for other models wraps [ErrNoProbability].
func (e *Ensemble) Probabilities() (*Ensemble, error) {
	probable := *e
	if _, probable.output = e.Outputs(); probable.output == nil {
		if e.part {
			return nil, errPartProbability
		}
		return nil, ErrNoProbability
	}
	return &probable, nil
}

// Outputs returns the functions that make predictions and probabilities of sums of trees. Either is nil if
// there is none: predictions are sums, or there are no probabilities.
func (e *Ensemble) Outputs() (prediction, probability func(sum float64) float64) {
	prediction = outputOf(e.Objective)
	switch name, _, _ := strings.Cut(e.Objective, " "); {
	case e.Calibration != nil:
		return prediction, e.Calibration.Probability
	case name == "binary" || name == "cross_entropy":
		return prediction, prediction
	}
	return prediction, nil
}

// outputOf returns the function by which LightGBM transforms sums, given the objective of a model's file with
// its parameters; nil if it leaves them as they are (ConvertOutput of its objectives).
func outputOf(objective string) func(sum float64) float64 {
	name, parameters, _ := strings.Cut(objective, " ")
	switch name {
	case "binary":
		return sigmoid(steepness(parameters))
	case "cross_entropy":
		return sigmoid(1)
	case "cross_entropy_lambda":
		return func(s float64) float64 { return exact.Ln(1 + exact.Exp(s)) }
	case "poisson", "gamma", "tweedie":
		return exact.Exp
	case "regression":
		if parameters == "sqrt" {
			return func(s float64) float64 { return float64(s * math.Abs(s)) }
		}
	}
	return nil
}

// steepness returns the number in "sigmoid:2", 1 without one.
func steepness(parameters string) float64 {
	for word := range strings.FieldsSeq(parameters) {
		if text, is := strings.CutPrefix(word, "sigmoid:"); is {
			if sigma, err := strconv.ParseFloat(text, 64); err == nil {
				return sigma
			}
		}
	}
	return 1
}

// sigmoid returns the function 1/(1+e^(-σ·s)).
func sigmoid(sigma float64) func(float64) float64 {
	return func(s float64) float64 { return 1 / (1 + exact.Exp(float64(-sigma*s))) }
}
