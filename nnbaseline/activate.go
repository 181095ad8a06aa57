package nnbaseline

import "math"

// activate computes a hidden layer's outputs from its sums, for rows [from, to): it adds the bias, or
// applies the gain and shift of normalization, and then ReLU and dropout.
func (p *pass) activate(_, from, to int) {
	l := &p.network.layers[p.layer]
	for row := from; row < to; row++ {
		dst := p.outputs[p.layer][row*l.out:][:l.out]
		if l.gain == nil {
			addRelu(dst, l.bias)
		} else {
			affineRelu(dst, p.sums[p.layer][row*l.out:][:l.out], l.gain, l.shift)
		}
		if p.dropout.drops() {
			p.dropout.apply(dst, p.key, int(p.rowNumbers[row]))
		}
	}
}

// addRelu sets dst to max(dst + bias, 0). It has no branch, because the CPU would mispredict one on
// the sign of a sum half of the time. NaN stays NaN.
func addRelu(dst, bias []float32) {
	bias = bias[:len(dst)]
	for j, v := range dst {
		dst[j] = max(v+bias[j], 0)
	}
}

// affineRelu sets dst to max(gain·x + shift, 0).
func affineRelu(dst, x, gain, shift []float32) {
	x, gain, shift = x[:len(dst)], gain[:len(dst)], shift[:len(dst)]
	for j := range dst {
		dst[j] = max(float32(gain[j]*x[j])+shift[j], 0)
	}
}

// deactivate turns the derivatives with respect to a hidden layer's outputs into those with respect to the
// inputs of ReLU, for rows [from, to). The derivative is 0 where ReLU or dropout has made the output 0.
func (p *pass) deactivate(_, from, to int) {
	out := p.network.layers[p.layer].out
	errors, outputs := p.errors[p.layer][from*out:to*out], p.outputs[p.layer][from*out:to*out]
	if p.dropout.drops() {
		maskScaled(errors, outputs, p.dropout.scale)
		return
	}
	mask(errors, outputs)
}

// mask sets the elements of dst to 0 where the output is 0. Outputs are not negative. The bits of a
// positive number are a positive integer, so that the sign bit of its negative, spread over all
// bits, is a mask without a branch.
func mask(dst, outputs []float32) {
	outputs = outputs[:len(dst)]
	for j, e := range dst {
		keep := uint32(-int32(math.Float32bits(outputs[j])) >> 31)
		dst[j] = math.Float32frombits(math.Float32bits(e) & keep)
	}
}

// maskScaled is mask, and multiplies the other elements by scale.
func maskScaled(dst, outputs []float32, scale float32) {
	outputs = outputs[:len(dst)]
	for j, e := range dst {
		keep := uint32(-int32(math.Float32bits(outputs[j])) >> 31)
		dst[j] = math.Float32frombits(math.Float32bits(e*scale) & keep)
	}
}
