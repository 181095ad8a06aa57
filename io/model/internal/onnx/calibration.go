package onnx

import (
	"math"

	"github.com/lambdamart/lambdamart/tree"
)

// Constants of [tree.Calibration.Probability].
const (
	tieShare  = 1e-6
	farWidths = 1e300
)

// addProbability adds the nodes that compute the probabilities of the scores, a matrix of one column, as
// [tree.Calibration.Probability] does.
func (f *formulas) addProbability(c *tree.Calibration) {
	score := f.cast(scoreName, elementDouble)
	one := f.number(1)
	if c.Kind == tree.Platt {
		exponent := f.op("Add", f.op("Mul", f.number(c.A), score), f.number(c.B))
		f.add("Div", []string{one, f.op("Add", one, f.op("Exp", exponent))}, nil, probabilityName)
		return
	}
	width := c.Scores[len(c.Scores)-1] - c.Scores[0]
	if !(width > 0) {
		width = 1
	}
	t := f.op("Div", f.op("Sub", score, f.number(c.Scores[0])), f.number(width))
	t = f.op("Max", f.op("Min", t, f.number(farWidths)), f.number(-farWidths))
	rising := f.op("Div", f.op("Add", one, f.op("Div", t, f.op("Add", one, f.op("Abs", t)))), f.number(2))
	f.add("Add", []string{f.op("Mul", f.number(1-tieShare), f.interpolated(c, score)),
		f.op("Mul", f.number(tieShare), rising)}, nil, probabilityName)
}

// interpolated returns the name of the probabilities between the two scores of the calibration beside each
// score. Each score is compared with all of them: the number of those below it is the place of the upper one.
func (f *formulas) interpolated(c *tree.Calibration, score string) string {
	scores, probabilities := f.vector("scores", c.Scores), f.vector("probabilities", c.Probabilities)
	place := f.count(f.op("Less", scores, score), 1)
	at := func(list, place string) string { return f.op("Gather", list, f.cast(place, elementInt64)) }
	upper := f.op("Min", place, f.number(float64(len(c.Scores)-1)))
	lower := f.op("Max", f.op("Sub", place, f.number(1)), f.number(0))
	left, right := at(scores, lower), at(scores, upper)
	low, high := at(probabilities, lower), at(probabilities, upper)
	share := f.op("Div", f.op("Sub", score, left), f.op("Sub", right, left))
	between := f.op("Min", f.op("Add", low, f.op("Mul", f.op("Sub", high, low), share)), high)
	return f.op("Where", f.op("And", f.op("Less", left, score), f.op("Less", score, right)), between, high)
}

// vector returns the name of a constant vector of numbers.
func (f *formulas) vector(key string, values []float64) string {
	bits := make([]uint64, len(values))
	for i, v := range values {
		bits[i] = math.Float64bits(v)
	}
	return f.constant(key, elementDouble, bits...)
}
