package nnbaseline

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestOptimizerIsAdam compares 30 steps with the algorithms of Kingma and Ba (2015) and of Loshchilov and
// Hutter (2019),
// in float64.
func TestOptimizerIsAdam(t *testing.T) {
	for _, decoupled := range []bool{false, true} {
		rng := rand.New(rand.NewPCG(1, 1))
		p := DefaultParams()
		p.WeightDecay = 0.1
		if decoupled {
			p.Optimizer = AdamW
		}
		const n, rate = 13, 0.01
		weights, gradient := make([]float32, n), make([]float32, n)
		for i := range weights {
			weights[i] = float32(rng.NormFloat64())
		}
		w, m, v := wide(weights), make([]float64, n), make([]float64, n)
		o := newOptimizer(&p, n)
		for step := 1; step <= 30; step++ {
			for i := range gradient {
				gradient[i] = float32(rng.NormFloat64())
				g := float64(gradient[i])
				if !decoupled {
					g += 0.1 * w[i]
				}
				m[i] = 0.9*m[i] + 0.1*g
				v[i] = 0.999*v[i] + 0.001*g*g
				better := rate * (m[i] / (1 - math.Pow(0.9, float64(step)))) /
					(math.Sqrt(v[i]/(1-math.Pow(0.999, float64(step)))) + 1e-8)
				if decoupled {
					better += rate * 0.1 * w[i]
				}
				w[i] -= better
			}
			o.next(rate, gradient).Update(weights, o.mean, o.square, gradient)
		}
		assert.InDeltaSlice(t, w, wide(weights), 1e-5)
	}
}

func TestGradientClip(t *testing.T) {
	p := DefaultParams()
	p.GradientClip = 2
	o := newOptimizer(&p, 5)
	assert.InDelta(t, 0.2, o.next(1, []float32{0, 6, 0, 0, 8}).Scale, 1e-7)
	assert.EqualValues(t, 1, o.next(1, []float32{0, 0.6, 0, 0, 0.8}).Scale)
	assert.EqualValues(t, 1, o.next(1, make([]float32, 5)).Scale)
}

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
