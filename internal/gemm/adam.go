package gemm

import "math"

// AdamStep is one step of Adam (Kingma and Ba, "Adam: a method for stochastic optimization", 2015,
// algorithm 1, whose corrections of the bias are in Rate and Root), or of AdamW (Loshchilov and
// Hutter, "Decoupled weight decay regularization", 2019, algorithm 2), for each weight w with
// gradient g:
//
//	g ← Scale·g + Decay·w
//	m ← m + MeanRate·(g − m)
//	v ← SquareKept·v + SquareRate·g²
//	w ← Shrink·w − Rate·m / (Root·√v + Epsilon)
//
// The operations are done in this order, and each is rounded, with or without vector instructions,
// so that the same gradients give the same weights on all CPUs.
type AdamStep struct {
	Scale      float32 // factor of the gradient: 1, or less if its norm is clipped
	Decay      float32 // weight decay of Adam, added to the gradient; 0 for AdamW
	Shrink     float32 // 1, or 1 − rate·decay for AdamW
	MeanRate   float32 // 1 − β1
	SquareKept float32 // β2
	SquareRate float32 // 1 − β2
	Rate       float32 // learning rate / (1 − β1^t)
	Root       float32 // 1 / √(1 − β2^t)
	Epsilon    float32
}

// Update takes the step for all weights. It changes weight, mean and square, the running means of
// the gradients and of their squares. The slices are equally long and do not overlap.
func (s AdamStep) Update(weight, mean, square, gradient []float32) {
	n := len(weight)
	mean, square, gradient = mean[:n], square[:n], gradient[:n]
	whole := wholeVectors(n)
	if whole > 0 {
		constants := [9]float32{s.Scale, s.Decay, s.Shrink, s.MeanRate, s.SquareKept, s.SquareRate, s.Rate,
			s.Root, s.Epsilon}
		adam8(&constants, &weight[0], &mean[0], &square[0], &gradient[0], whole/vectorLanes)
	}
	s.update(weight[whole:], mean[whole:], square[whole:], gradient[whole:])
}

// update is Update in Go.
func (s AdamStep) update(weight, mean, square, gradient []float32) {
	n := len(weight)
	mean, square, gradient = mean[:n], square[:n], gradient[:n]
	for i, w := range weight {
		g := float32(s.Scale*gradient[i]) + float32(s.Decay*w)
		m := mean[i] + float32(s.MeanRate*float32(g-mean[i]))
		v := float32(s.SquareKept*square[i]) + float32(s.SquareRate*float32(g*g))
		root := float32(math.Sqrt(float64(v))) // the nearest float32: float64 has more than twice its bits
		mean[i], square[i] = m, v
		weight[i] = float32(s.Shrink*w) - float32(s.Rate*m)/(float32(s.Root*root)+s.Epsilon)
	}
}

// wholeVectors returns how many of n values are computed by vector instructions of this CPU.
func wholeVectors(n int) int {
	if best.instructions == none {
		return 0
	}
	return n / vectorLanes * vectorLanes
}
