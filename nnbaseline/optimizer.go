package nnbaseline

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/gemm"
)

// Constants of Adam: PyTorch's defaults, from Kingma and Ba, Adam, ICLR 2015.
const (
	beta1       = 0.9
	beta2       = 0.999
	adamEpsilon = 1e-8
)

// optimizer converts gradients to steps. [gemm.AdamStep] has the formulas.
type optimizer struct {
	decay     float64
	decoupled bool    // the decay is not part of the gradient (AdamW)
	clip      float64 // largest norm of a gradient; 0: any

	mean, square []float32 // running means of the gradients and of their squares, by weight
	kept1, kept2 float64   // beta1 and beta2 to the power of the number of steps
}

func newOptimizer(p *Params, weights int) *optimizer {
	return &optimizer{
		decay: p.WeightDecay, decoupled: p.Optimizer == AdamW, clip: p.GradientClip,
		mean: make([]float32, weights), square: make([]float32, weights), kept1: 1, kept2: 1,
	}
}

// next returns the step for a gradient, and counts it.
func (o *optimizer) next(rate float64, gradient []float32) gemm.AdamStep {
	o.kept1 = float64(o.kept1 * beta1)
	o.kept2 = float64(o.kept2 * beta2)
	step := gemm.AdamStep{
		Scale: 1, Shrink: 1, Decay: float32(o.decay),
		MeanRate: 1 - beta1, SquareKept: beta2, SquareRate: 1 - beta2,
		Rate: float32(rate / (1 - o.kept1)), Root: float32(1 / math.Sqrt(1-o.kept2)), Epsilon: adamEpsilon,
	}
	if o.decoupled {
		step.Decay, step.Shrink = 0, float32(1-float64(rate*o.decay))
	}
	if o.clip > 0 {
		step.Scale = float32(math.Min(1, o.clip/norm(gradient)))
	}
	return step
}

// norm returns the Euclidean norm.
func norm(values []float32) float64 { return math.Sqrt(squaresAround(0, values)) }
