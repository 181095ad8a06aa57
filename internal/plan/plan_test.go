package plan

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/lambdamart/lambdamart/booster"
)

// standard returns the training run that bench/README.md measures.
func standard(active float64) *Training {
	p := booster.DefaultParams()
	p.NumLeaves, p.ActiveFraction = 255, active
	shape := booster.Shape{Rows: 714_218, Columns: 136, Bins: 34_000, RowBytes: 128}
	return &Training{Params: p, Shape: shape, Threads: 2, Latency: 25 * time.Microsecond}
}

// TestComputeIsThatOfTheProfile expects the sums of the two columns in bench/README.md, for all rows and
// for 1 of 32.
func TestComputeIsThatOfTheProfile(t *testing.T) {
	all, some := standard(1).On(1), standard(1.0/32).On(1)
	assert.InEpsilon(t, 0.1042, all.Compute.Seconds(), 0.1)
	assert.InEpsilon(t, 0.0203, some.Compute.Seconds(), 0.1)
}

func TestMorePeers(t *testing.T) {
	training := standard(1)
	training.Shape.Rows *= 100
	one := training.On(1)
	assert.Equal(t, one.Seconds(10), one.Seconds(100), "one process sends nothing")
	before := one
	for _, size := range []int{2, 4, 8, 16} {
		e := training.On(size)
		assert.Less(t, e.Memory, before.Memory)
		assert.Less(t, e.Compute, before.Compute)
		assert.Greater(t, e.Sent, before.Sent)
		assert.Less(t, e.Seconds(25), e.Seconds(10))
		assert.Less(t, e.Seconds(10), before.Seconds(10))
		before = e
	}
	slow := *training
	slow.Latency = 10 * time.Millisecond
	late, soon := slow.On(8), training.On(8)
	assert.Greater(t, late.Seconds(25), soon.Seconds(25)+1)
}

func TestReadingTakesMemory(t *testing.T) {
	training := standard(1)
	training.Shape.Rows = 50_000
	stored := training.On(2).Memory
	training.Text = true
	assert.Greater(t, training.On(2).Memory, stored)
}

func TestShapeFor(t *testing.T) {
	p := booster.DefaultParams()
	assert.Equal(t, booster.Shape{Rows: 10, Columns: 137, Bins: 137 * 255, RowBytes: 144}, ShapeFor(&p, 10, 137))
}
