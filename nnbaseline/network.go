package nnbaseline

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/random"
)

// shape is the part of a network's description that determines its number of weights.
type shape struct {
	widths        []int // features, hidden layers, 1
	normalization string
}

// shape returns the shape of a network for this many features.
func (p *Params) shape(features int) shape {
	widths := append([]int{features}, p.HiddenLayers...)
	return shape{append(widths, 1), p.Normalization}
}

// normalized reports whether a layer is normalized: with normalization, all layers but the last are.
func (s shape) normalized(layer int) bool {
	return s.normalization != NoNormalization && layer < s.numLayers()-1
}

func (s shape) numLayers() int { return len(s.widths) - 1 }

// counts returns the number of values that are trained, and of those that batch normalization keeps to score.
func (s shape) counts() (weights, running int) {
	for l := range s.numLayers() {
		in, out := s.widths[l], s.widths[l+1]
		weights += (in + 1) * out
		if s.normalized(l) {
			weights += 2 * out
		}
		if s.normalized(l) && s.normalization == BatchNorm {
			running += 2 * out
		}
	}
	return weights, running
}

// layer is a linear map from in to out units, with the values that normalize its sums. The same type
// holds the weights of a layer and their derivatives. The slices are parts of a network's.
type layer struct {
	in, out int
	weight  []float32 // in × out, row-major
	bias    []float32 // out
	gain    []float32 // out; nil if the layer is not normalized
	shift   []float32 // like gain

	// Running mean and variance of the sums; nil without batch normalization.
	mean, variance []float32
}

// layers divides weights and running values into layers. The weights have, layer by layer,
// its weight, bias, gain and shift; the running values its mean and variance.
func (s shape) layers(weights, running []float32) []layer {
	take := func(from *[]float32, n int) []float32 {
		part := (*from)[:n:n]
		*from = (*from)[n:]
		return part
	}
	all := make([]layer, s.numLayers())
	for l := range all {
		in, out := s.widths[l], s.widths[l+1]
		all[l] = layer{in: in, out: out, weight: take(&weights, in*out), bias: take(&weights, out)}
		if s.normalized(l) {
			all[l].gain, all[l].shift = take(&weights, out), take(&weights, out)
		}
		if s.normalized(l) && s.normalization == BatchNorm && running != nil {
			all[l].mean, all[l].variance = take(&running, out), take(&running, out)
		}
	}
	return all
}

// network is a shape with its values.
type network struct {
	shape
	weights []float32 // the values that are trained
	running []float32 // of batch normalization
	layers  []layer   // parts of weights and running
}

func newNetwork(s shape) *network {
	weights, running := s.counts()
	n := &network{shape: s, weights: make([]float32, weights), running: make([]float32, running)}
	n.layers = s.layers(n.weights, n.running)
	return n
}

// initialize draws the first weights and biases of each layer uniformly between -1/√in and 1/√in, as
// PyTorch's Linear does (the scale is from LeCun et al., Efficient BackProp, 1998).
// Normalization begins as the identity.
func (n *network) initialize(seed uint64) {
	key := random.New(seed, random.NetworkWeight, 0)
	next := 0
	for _, l := range n.layers {
		bound := 1 / math.Sqrt(float64(l.in))
		for _, part := range [][]float32{l.weight, l.bias} {
			for i := range part {
				part[i] = float32(float64(bound * (2*key.Float64(next) - 1)))
				next++
			}
		}
		fill(l.gain, 1)
		fill(l.variance, 1)
	}
}

func fill(dst []float32, value float32) {
	for i := range dst {
		dst[i] = value
	}
}

// copyFrom copies the values of a network of the same shape.
func (n *network) copyFrom(other *network) {
	copy(n.weights, other.weights)
	copy(n.running, other.running)
}

// finite reports whether all values are finite.
func (n *network) finite() bool { return allFinite(n.weights) && allFinite(n.running) }

func allFinite(values []float32) bool {
	for _, v := range values {
		if v-v != 0 { // Inf - Inf and NaN - NaN are NaN
			return false
		}
	}
	return true
}
