package rounds

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/training"
)

// TestConstraintsNeedValues: a mean that no query has is neither met nor missed.
func TestConstraintsNeedValues(t *testing.T) {
	b := bounds{all: []Constraint{{Metric: "map@click", Least: 0.5}}, places: []int{1}, set: "valid_2"}
	at := func(mean float64) []training.Evaluation {
		return []training.Evaluation{{}, {Set: "valid_2", Result: metric.Result{Mean: mean}}}
	}
	assert.NoError(t, b.check(at(0)))
	assert.ErrorContains(t, b.check(at(math.NaN())),
		"constraint=map@click>=0.5: map@click has no value on valid_2")
}
