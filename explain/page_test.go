package explain

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lambdamart/lambdamart/internal/plot"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/training"
	"github.com/lambdamart/lambdamart/tree"
)

// TestAxisOfDependences: one value that is far from the others does not squeeze them; the axis then has the
// quantiles at equal distances, and its ends keep their values.
func TestAxisOfDependences(t *testing.T) {
	for _, c := range []struct {
		x    []metric.Value
		want bool
	}{
		{[]metric.Value{0, 1, 2, 3, 4}, false},
		{[]metric.Value{0, 1, 2, 3, 1e6}, true},
		{[]metric.Value{-1e6, 1, 2, 3, 4}, true},
		{[]metric.Value{0, 1}, false},
		{[]metric.Value{0, 1, 1e6}, false},
	} {
		assert.Equal(t, c.want, farOut(c.x), c.x)
		r := Report{Dependences: []Dependence{{Feature: "f", X: c.x, Score: make([]metric.Value, len(c.x))}}}
		text := r.dependence().Section.Figures[0].Chart.(*plot.Curves).Draw()
		assert.Equal(t, c.want, strings.Contains(text, "quantile of value"), c.x)
	}
}

// TestPageOfAnEnsembleNamesNoIteration: the iterations of its models add up to more than any curve has.
func TestPageOfAnEnsembleNamesNoIteration(t *testing.T) {
	for model, want := range []bool{true, false} {
		r := ModelReport{Model: &tree.Ensemble{}, Kept: 538, Rounds: []training.Round{{Number: 300, Model: model}}}
		assert.Equal(t, want, strings.Contains(r.curves().Text, "iteration 538"))
	}
}

// TestValuesAtThresholds: thresholds lie some units of the last digit beside the middle of two values.
func TestValuesAtThresholds(t *testing.T) {
	for v, want := range map[float64]string{
		77.50000000000003: "just above 77.5", 77.49999999999999: "just below 77.5", 77.5: "77.5", 0: "0",
		0.123456789: "0.123456789", math.NaN(): "missing", -2.0000000000000004: "just below -2",
	} {
		assert.Equal(t, want, beyond(v))
	}
}
