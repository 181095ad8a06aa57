package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lambdamart/lambdamart/test/aid"
)

// state holds the arguments of Update.
type state struct{ weight, mean, square, gradient []float32 }

func newState(r *rand.Rand, n int) state {
	s := state{make([]float32, n), make([]float32, n), make([]float32, n), make([]float32, n)}
	for i := range n {
		scale := math.Exp(4 * r.NormFloat64())
		s.weight[i] = float32(r.NormFloat64())
		s.mean[i] = float32(r.NormFloat64() * scale)
		s.square[i] = float32(r.ExpFloat64() * scale * scale)
		s.gradient[i] = float32(r.NormFloat64() * scale)
	}
	return s
}

// held returns a copy, each part of it at an end of memory beyond which nothing can be accessed.
func (s state) held(fences *[4]aid.Fence[float32], atEnd bool) state {
	return state{fences[0].Hold(s.weight, atEnd), fences[1].Hold(s.mean, atEnd),
		fences[2].Hold(s.square, atEnd), fences[3].Hold(s.gradient, atEnd)}
}

func newFences(t *testing.T, most int) (fences [4]aid.Fence[float32]) {
	for i := range fences {
		fences[i] = aid.NewFence[float32](t, most)
	}
	return fences
}

func (s state) equal(t *testing.T, other state, about ...any) {
	t.Helper()
	equalBits(t, s.weight, other.weight, about...)
	equalBits(t, s.mean, other.mean, about...)
	equalBits(t, s.square, other.square, about...)
	equalBits(t, s.gradient, other.gradient, about...)
}

// step returns step t of Adam with the usual constants.
func step(t int, rate, decay float64) AdamStep {
	return AdamStep{
		Scale: 1, Decay: float32(decay), Shrink: 1,
		MeanRate: 0.1, SquareKept: 0.999, SquareRate: 0.001,
		Rate:    float32(rate / (1 - math.Pow(0.9, float64(t)))),
		Root:    float32(1 / math.Sqrt(1-math.Pow(0.999, float64(t)))),
		Epsilon: 1e-8,
	}
}

func TestAdamVectorsEqualGo(t *testing.T) {
	r, fences := rand.New(rand.NewPCG(1, 1)), newFences(t, 70)
	for n := range 70 {
		for trial := range 20 {
			by := step(1+r.IntN(1000), 0.001, float64(r.IntN(2))*0.01)
			by.Scale, by.Shrink = r.Float32(), 1-r.Float32()/100
			want := newState(r, n)
			got := want.held(&fences, trial%2 > 0)
			by.update(want.weight, want.mean, want.square, want.gradient)
			by.Update(got.weight, got.mean, got.square, got.gradient)
			want.equal(t, got, n)
		}
	}
}

// TestAdamVectorsEqualGoAtTheEdges: gradients that are zero, infinite or NaN, or whose squares overflow or
// underflow.
func TestAdamVectorsEqualGoAtTheEdges(t *testing.T) {
	values := []float32{0, float32(math.Copysign(0, -1)), 1e-45, 1e-38, -1e-30, 1, 1e19, 3e38,
		float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}
	var want state
	for _, w := range values {
		for _, g := range values {
			for _, v := range values {
				want.weight, want.gradient = append(want.weight, w), append(want.gradient, g)
				want.mean, want.square = append(want.mean, w/2), append(want.square, v)
			}
		}
	}
	fences := newFences(t, len(want.weight))
	got := want.held(&fences, true)
	by := step(1, 0.001, 0)
	by.update(want.weight, want.mean, want.square, want.gradient)
	by.Update(got.weight, got.mean, got.square, got.gradient)
	want.equal(t, got)
}

// TestAdamFirstStepIsTheRate, computed by hand: at the first step, with zero means, m/(1-β1) is g and
// √(v/(1-β2)) is |g|, so each weight moves by the learning rate against the sign of its gradient.
func TestAdamFirstStepIsTheRate(t *testing.T) {
	weight := []float32{1, 1, 1, 1, 1, 1, 1, 1, 1}
	gradient := []float32{5, -5, 0.1, -0.1, 100, -100, 1e-3, -1e-3, 0}
	step(1, 0.01, 0).Update(weight, make([]float32, 9), make([]float32, 9), gradient)
	for i, g := range gradient {
		want := 1.0
		if g != 0 {
			want = 1 - math.Copysign(0.01, float64(g))
		}
		assert.InDelta(t, want, weight[i], 1e-6, "gradient %v", g)
	}
}

func TestAdamRefusesShortSlices(t *testing.T) {
	for short := range 3 {
		t.Run(fmt.Sprint(short), func(t *testing.T) {
			lengths := []int{9, 9, 9}
			lengths[short] = 8
			assert.Panics(t, func() {
				AdamStep{}.Update(make([]float32, 9), make([]float32, lengths[0])[:lengths[0]:lengths[0]],
					make([]float32, lengths[1])[:lengths[1]:lengths[1]], make([]float32, lengths[2])[:lengths[2]:lengths[2]])
			})
		})
	}
}
