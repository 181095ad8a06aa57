package pairwise

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestInverseIdeal, computed by hand: the best order of gains 1, 3, 0, 2 is 3, 2, 1, 0.
func TestInverseIdeal(t *testing.T) {
	var d DCG
	gains := []float64{1, 3, 0, 2}
	assert.InEpsilon(t, 1/(3+2/math.Log2(3)+1/math.Log2(4)), d.InverseIdeal(gains, 100), 1e-15)
	assert.InEpsilon(t, 1/(3+2/math.Log2(3)), d.InverseIdeal(gains, 2), 1e-15)
	assert.Equal(t, []float64{1, 3, 0, 2}, gains, "gains are not changed")
	assert.Zero(t, d.InverseIdeal([]float64{0, 0}, 5))
	assert.Zero(t, d.InverseIdeal(nil, 5))
}

func TestDiscountsAreKept(t *testing.T) {
	var d DCG
	few := d.Discounts(2)
	assert.Equal(t, []float64{1, 1 / math.Log2(3)}, few)
	many := d.Discounts(1000)
	assert.Len(t, many, 1000)
	assert.Equal(t, few, many[:2])
	assert.Equal(t, 1/math.Log2(1001), many[999])
	assert.Len(t, d.Discounts(3), 1000)
}
