package nnbaseline

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestSchedules expects rates computed by hand, for five epochs of two steps.
func TestSchedules(t *testing.T) {
	rates := func(kind string, values ...float64) []float64 {
		p := DefaultParams()
		p.LearningRate, p.Schedule, p.ScheduleFactor, p.ScheduleEpochs = 8, kind, 0.5, 2
		s, all := newSchedule(&p, 10), []float64(nil)
		for epoch := 1; epoch <= 5; epoch++ {
			all = append(all, s.rate(epoch, 2*epoch-1))
			s.see(epoch, values[epoch-1])
		}
		return all
	}
	rising := []float64{1, 2, 3, 4, 5}
	assert.Equal(t, []float64{8, 8, 8, 8, 8}, rates(Constant, rising...))
	assert.Equal(t, []float64{8, 8, 4, 4, 2}, rates(Step, rising...))
	assert.Equal(t, []float64{8, 8, 8, 8, 8}, rates(Plateau, rising...))
	assert.Equal(t, []float64{8, 8, 8, 4, 4}, rates(Plateau, 1, 1, 1, 2, 2)) // epochs 2 and 3 do not improve
	assert.Equal(t, []float64{8, 8, 8, 4, 4}, rates(Plateau, 1, 0, 0, 0, 2))
	cosine := rates(Cosine, rising...)
	assert.Equal(t, 8.0, cosine[0])
	assert.InDelta(t, 8*(1+math.Cos(0.8*math.Pi))/2, cosine[4], 1e-12)
}
