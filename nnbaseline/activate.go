package nnbaseline

import "math"

// activate makes a hidden layer's outputs of its sums, for rows [from, to): bias or
// normalization's gain and shift, ReLU, dropout.
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

// addRelu sets dst to max(dst + bias, 0). It has no branch, since one on the sign of
// a sum would be guessed wrong half of the time. NaN stays.
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

// deactivate turns the derivatives by a hidden layer's outputs into those by what
// went into ReLU, for rows [from, to). An output above 0 tells that neither ReLU nor
// dropout made it 0.
func (p *pass) deactivate(_, from, to int) {
	out := p.network.layers[p.layer].out
	errors, outputs := p.errors[p.layer][from*out:to*out], p.outputs[p.layer][from*out:to*out]
	if p.dropout.drops() {
		maskScaled(errors, outputs, p.dropout.scale)
		return
	}
	mask(errors, outputs)
}

// mask clears the elements of dst where the output, which is not negative, is 0. A
// positive number's bits are a positive integer, so that the sign of their negative
// is a mask without a branch.
func mask(dst, outputs []float32) {
	outputs = outputs[:len(dst)]
	for j, e := range dst {
		keep := uint32(-int32(math.Float32bits(outputs[j])) >> 31)
		dst[j] = math.Float32frombits(math.Float32bits(e) & keep)
	}
}

// maskScaled is mask, and multiplies the others by scale.
func maskScaled(dst, outputs []float32, scale float32) {
	outputs = outputs[:len(dst)]
	for j, e := range dst {
		keep := uint32(-int32(math.Float32bits(outputs[j])) >> 31)
		dst[j] = math.Float32frombits(math.Float32bits(e*scale) & keep)
	}
}
