package nnbaseline

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"github.com/lambdamart/lambdamart/internal/gemm"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// pass computes the scores of a step's rows and then the gradient. forward computes sums and outputs from the
// first layer to the last, and backward the derivatives from the last to the first. Its memory grows to the
// largest step. One goroutine uses a pass. It may have workers, each of which processes rows or units of its
// own, so that no sum depends on them.
type pass struct {
	network  *network
	gradient []float32 // of the loss with respect to each weight, in the order of network.weights
	layers   []layer   // parts of gradient
	multiply gemm.Implementation
	pool     *par.Pool // nil: no workers

	dropout dropout
	step    int // number of the step, from 1, on which random draws depend

	rows       int
	rowNumbers []int32      // numbers of the rows in the data
	inputs     []float32    // rows × features
	sums       [][]float32  // by layer, rows × out: normalized sums; only of normalized layers
	spreads    [][]float32  // 1 / deviation: of each unit (batch) or row (layer normalization)
	outputs    [][]float32  // by layer, rows × out; the last are the scores
	perUnit    [2][]float64 // sums over the rows, while a layer is normalized
	errors     [][]float32  // derivatives of the loss with respect to the outputs, and then to the sums

	task   func(p *pass, from, to int) // that workers share
	shared func(worker, from, to int)  // calls task; it is made once, so a step does not allocate
	layer  int                         // layer that the task works on
	key    random.Key
}

func newPass(n *network, dropoutShare float64, seed uint64, pool *par.Pool) *pass {
	p := &pass{network: n, multiply: gemm.Implementation{Pool: pool}, pool: pool,
		dropout: newDropout(dropoutShare, seed)}
	p.gradient = make([]float32, len(n.weights))
	p.layers = n.shape.layers(p.gradient, nil)
	p.sums, p.spreads = make([][]float32, len(n.layers)), make([][]float32, len(n.layers))
	p.outputs, p.errors = make([][]float32, len(n.layers)), make([][]float32, len(n.layers))
	p.shared = func(_, from, to int) { p.task(p, from, to) }
	return p
}

// resize makes the memory large enough for this many rows.
func (p *pass) resize(rows int) {
	p.rows = rows
	p.rowNumbers = reuse.Slice(p.rowNumbers, rows)
	p.inputs = reuse.Slice(p.inputs, rows*p.network.widths[0])
	for l := range p.network.layers {
		out := p.network.layers[l].out
		p.outputs[l] = reuse.Slice(p.outputs[l], rows*out)
		p.errors[l] = reuse.Slice(p.errors[l], rows*out)
		if p.network.normalized(l) {
			p.sums[l] = reuse.Slice(p.sums[l], rows*out)
			p.spreads[l] = reuse.Slice(p.spreads[l], max(rows, out))
			widest := max(out, len(p.perUnit[0]))
			p.perUnit = [2][]float64{reuse.Slice(p.perUnit[0], widest), reuse.Slice(p.perUnit[1], widest)}
		}
	}
}

// share runs a task over [0, n). If there is enough work, workers take blocks of it; n*perItem is the
// number of values to be computed.
func (p *pass) share(n, perItem, block int, task func(p *pass, from, to int)) {
	const worthSharing = 1 << 14
	if p.pool == nil || n*perItem < worthSharing {
		task(p, 0, n)
		return
	}
	p.task = task
	p.pool.Blocks(n, block, p.shared)
}

const (
	rowBlock  = 16 // rows that a worker takes
	unitBlock = 64 // units that a worker takes
)

// forward computes the outputs of all layers, and returns the last layer's: the scores.
func (p *pass) forward() []float32 {
	input := p.inputs
	for l := range p.network.layers {
		p.layer = l
		in, out := p.network.layers[l].in, p.network.layers[l].out
		dst := p.outputs[l]
		if p.network.normalized(l) {
			dst = p.sums[l]
		}
		p.multiply.Sgemm(blas.NoTrans, blas.NoTrans, p.rows, out, in, 1, input, in, p.network.layers[l].weight,
			out, 0, dst, out)
		if p.network.normalized(l) {
			p.normalize(out)
		}
		if l == len(p.network.layers)-1 {
			addBias(dst, p.network.layers[l].bias)
			return dst
		}
		p.key = p.dropout.key(p.step, l)
		p.share(p.rows, out, rowBlock, (*pass).activate)
		input = p.outputs[l]
	}
	return nil
}

// scoreErrors returns the memory for the derivatives of the loss with respect to the scores, which
// the caller fills before backward.
func (p *pass) scoreErrors() []float32 { return p.errors[len(p.errors)-1] }

// backward computes the gradient, from the last layer to the first:
//
//	∂/∂weight = inputᵀ · error,  ∂/∂bias = Σ error,  ∂/∂input = error · weightᵀ
//
// where error is the derivative with respect to the layer's sums.
func (p *pass) backward() {
	for l := len(p.network.layers) - 1; l >= 0; l-- {
		p.layer = l
		in, out := p.network.layers[l].in, p.network.layers[l].out
		if l < len(p.network.layers)-1 {
			p.share(p.rows, out, rowBlock, (*pass).deactivate)
		}
		if p.network.normalized(l) {
			p.unnormalize(out)
		}
		if p.network.layers[l].mean == nil { // with batch normalization a bias has no effect
			p.share(out, p.rows, unitBlock, (*pass).addUpUnits)
		}
		input := p.inputs
		if l > 0 {
			input = p.outputs[l-1]
		}
		p.multiply.Sgemm(blas.Trans, blas.NoTrans, in, out, p.rows, 1, input, in, p.errors[l], out, 0,
			p.layers[l].weight, out)
		if l > 0 {
			p.multiply.Sgemm(blas.NoTrans, blas.Trans, p.rows, in, out, 1, p.errors[l], out,
				p.network.layers[l].weight, out, 0, p.errors[l-1], in)
		}
	}
}

// addUpUnits adds up the errors of units [from, to) over all rows.
func (p *pass) addUpUnits(from, to int) {
	out := p.network.layers[p.layer].out
	sums := p.layers[p.layer].bias[from:to]
	clear(sums)
	for row := range p.rows {
		errors := p.errors[p.layer][row*out+from:][:len(sums)]
		for j, e := range errors {
			sums[j] += e
		}
	}
}

// addBias adds the bias to each row of dst.
func addBias(dst, bias []float32) {
	for len(dst) > 0 {
		for j, b := range bias {
			dst[j] += b
		}
		dst = dst[len(bias):]
	}
}

// activate computes a hidden layer's outputs from its sums, for rows [from, to): it adds the bias, or
// applies the gain and shift of normalization, and then ReLU and dropout.
func (p *pass) activate(from, to int) {
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
func (p *pass) deactivate(from, to int) {
	out := p.network.layers[p.layer].out
	mask(p.errors[p.layer][from*out:to*out], p.outputs[p.layer][from*out:to*out], p.dropout.scale)
}

// mask multiplies dst by scale, and sets its elements to 0 where the output is 0. Outputs are not negative.
// The bits of a positive number are a positive integer, so that the sign bit of its negative, spread over
// all bits, is a mask without a branch.
func mask(dst, outputs []float32, scale float32) {
	outputs = outputs[:len(dst)]
	for j, e := range dst {
		keep := uint32(-int32(math.Float32bits(outputs[j])) >> 31)
		dst[j] = math.Float32frombits(math.Float32bits(e*scale) & keep)
	}
}
