package nnbaseline

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/random"
)

const (
	// normEpsilon is added to variances, as in PyTorch.
	normEpsilon = 1e-5
	// runningShare is the share of the running mean and variance that a step replaces, as in PyTorch.
	runningShare = 0.1
)

// normalize turns a layer's sums into (sum + bias - mean) / √(variance + epsilon), with the mean and
// variance of a unit over the rows of the step (batch normalization, Ioffe and Szegedy 2015) or of a
// row over its units (layer normalization, Ba, Kiros and Hinton 2016).
func (p *pass) normalize(out int) {
	if p.network.normalization == BatchNorm {
		p.share(out, p.rows, unitBlock, (*pass).normalizeUnits)
		return
	}
	p.share(p.rows, out, rowBlock, (*pass).normalizeRows)
}

// normalizeUnits normalizes units [from, to) over the rows, and moves the running mean and the
// running variance, which is unbiased as in PyTorch. It reads the rows in the order of memory and
// keeps a sum for each unit.
func (p *pass) normalizeUnits(from, to int) {
	l, n := &p.network.layers[p.layer], float64(p.rows)
	means, spreads := p.perUnit[0][from:to], p.perUnit[1][from:to]
	clear(means)
	clear(spreads)
	for row := range p.rows {
		for j, v := range p.sums[p.layer][row*l.out:][from:to] {
			means[j] += float64(v)
		}
	}
	for j := range means {
		means[j] /= n
	}
	for row := range p.rows {
		for j, v := range p.sums[p.layer][row*l.out:][from:to] {
			d := float64(v) - means[j]
			spreads[j] += float64(d * d)
		}
	}
	for j, squares := range spreads {
		unit := from + j
		l.mean[unit] = running(l.mean[unit], means[j]+float64(l.bias[unit]))
		l.variance[unit] = running(l.variance[unit], squares/math.Max(1, n-1))
		spreads[j] = 1 / math.Sqrt(squares/n+normEpsilon)
		p.spreads[p.layer][unit] = float32(spreads[j])
	}
	for row := range p.rows {
		values := p.sums[p.layer][row*l.out:][from:to]
		for j, v := range values {
			values[j] = float32((float64(v) - means[j]) * spreads[j])
		}
	}
}

// running returns the running value after a step in which the value was now.
func running(old float32, now float64) float32 {
	return float32(float64((1-runningShare)*float64(old)) + float64(runningShare*now))
}

// normalizeRows normalizes rows [from, to) over the units.
func (p *pass) normalizeRows(from, to int) {
	l := &p.network.layers[p.layer]
	for row := from; row < to; row++ {
		p.spreads[p.layer][row] = normalizeRow(p.sums[p.layer][row*l.out:][:l.out], l.bias)
	}
}

// normalizeRow adds the bias to one row, normalizes it, and returns the factor that it was multiplied by.
func normalizeRow(values, bias []float32) (spread float32) {
	addBias(values, bias)
	n := float64(len(values))
	mean := sumOf(values) / n
	factor := 1 / math.Sqrt(squaresAround(mean, values)/n+normEpsilon)
	for j, v := range values {
		values[j] = float32((float64(v) - mean) * factor)
	}
	return float32(factor)
}

// sumOf adds up values in four sums, by their places modulo 4, because the additions of a single sum
// would wait for each other.
func sumOf(values []float32) float64 {
	var sums [4]float64
	for ; len(values) >= 4; values = values[4:] {
		four := (*[4]float32)(values)
		sums[0] += float64(four[0])
		sums[1] += float64(four[1])
		sums[2] += float64(four[2])
		sums[3] += float64(four[3])
	}
	for j, v := range values {
		sums[j] += float64(v)
	}
	return (sums[0] + sums[1]) + (sums[2] + sums[3])
}

// squaresAround adds up the squares of the differences from mean, in four sums like sumOf.
func squaresAround(mean float64, values []float32) float64 {
	var sums [4]float64
	for ; len(values) >= 4; values = values[4:] {
		four := (*[4]float32)(values)
		a, b, c, d := float64(four[0])-mean, float64(four[1])-mean, float64(four[2])-mean, float64(four[3])-mean
		sums[0] += float64(a * a)
		sums[1] += float64(b * b)
		sums[2] += float64(c * c)
		sums[3] += float64(d * d)
	}
	for j, v := range values {
		d := float64(v) - mean
		sums[j] += float64(d * d)
	}
	return (sums[0] + sums[1]) + (sums[2] + sums[3])
}

// unnormalize turns derivatives with respect to the inputs of ReLU into those with respect to the
// sums, and computes the derivatives with respect to gain and shift. With x the normalized sums, e
// the errors, and means over the sums that were normalized together,
//
//	∂/∂sum = spread · (gain·e - mean(gain·e) - x · mean(gain·e·x))
func (p *pass) unnormalize(out int) {
	if p.network.normalization == BatchNorm {
		p.share(out, p.rows, unitBlock, (*pass).unnormalizeUnits)
		return
	}
	p.share(out, p.rows, unitBlock, (*pass).unnormalizeUnits)
	p.share(p.rows, out, rowBlock, (*pass).unnormalizeRows)
}

// unnormalizeUnits computes the derivatives with respect to gain and shift of units [from, to), and
// with batch normalization the derivatives with respect to their sums.
func (p *pass) unnormalizeUnits(from, to int) {
	l, gradient, n := &p.network.layers[p.layer], &p.layers[p.layer], float64(p.rows)
	sums, products := p.perUnit[0][from:to], p.perUnit[1][from:to]
	clear(sums)
	clear(products)
	for row := range p.rows {
		x := p.sums[p.layer][row*l.out:][from:to]
		for j, e := range p.errors[p.layer][row*l.out:][from:to] {
			sums[j] += float64(e)
			products[j] += float64(float64(e) * float64(x[j]))
		}
	}
	for j := range sums {
		gradient.shift[from+j], gradient.gain[from+j] = float32(sums[j]), float32(products[j])
		sums[j] /= n
		products[j] /= n
	}
	if p.network.normalization != BatchNorm {
		return
	}
	spreads, gains := p.spreads[p.layer][from:to], l.gain[from:to]
	for row := range p.rows {
		x, errors := p.sums[p.layer][row*l.out:][from:to], p.errors[p.layer][row*l.out:][from:to]
		for j, e := range errors {
			factor := float64(float64(spreads[j]) * float64(gains[j]))
			errors[j] = float32(factor * (float64(e) - sums[j] - float64(float64(x[j])*products[j])))
		}
	}
}

// unnormalizeRows computes the derivatives with respect to the sums of rows [from,
// to) under layer normalization.
func (p *pass) unnormalizeRows(from, to int) {
	l := &p.network.layers[p.layer]
	n := float64(l.out)
	for row := from; row < to; row++ {
		x, e := p.sums[p.layer][row*l.out:][:l.out], p.errors[p.layer][row*l.out:][:l.out]
		sum, product := 0.0, 0.0
		for j := range e {
			e[j] *= l.gain[j]
			sum += float64(e[j])
			product += float64(float64(e[j]) * float64(x[j]))
		}
		spread := float64(p.spreads[p.layer][row])
		for j := range e {
			e[j] = float32(spread * (float64(e[j]) - sum/n - float64(float64(x[j])*(product/n))))
		}
	}
}

// dropout leaves out hidden units at random, each with the same probability and independently of the
// others, and scales up the others so that the expectation stays the same. (Srivastava et al.,
// Dropout, JMLR 15, 2014, in the form that scales in training.)
//
// Four units share a hash of 64 bits: a unit is left out if its 16 bits are below the threshold.
type dropout struct {
	threshold uint32  // the probability in units of 2^-16
	scale     float32 // 1 / (1 - probability)
	seed      uint64
}

func newDropout(probability float64, seed uint64) dropout {
	threshold := math.Round(float64(probability * 0x1p16))
	return dropout{uint32(threshold), float32(0x1p16 / (0x1p16 - threshold)), seed}
}

// drops reports whether any unit may be left out.
func (d *dropout) drops() bool { return d.threshold > 0 }

// maxLayers is larger than the number of layers of any network.
const maxLayers = 1 << 8

// key returns the key of a layer's draws in a step.
func (d *dropout) key(step, layer int) random.Key {
	return random.New(d.seed, random.Dropout, step*maxLayers+layer)
}

// apply leaves out units of one row of the data. dst holds the outputs of a layer for that row.
func (d *dropout) apply(dst []float32, key random.Key, row int) {
	index := row * maxUnits // no two units of the data share a draw
	scaleBits := math.Float32bits(d.scale)
	for ; len(dst) >= 4; dst = dst[4:] {
		hash, four := key.Uint64(index), (*[4]float32)(dst)
		four[0] *= d.factor(hash, scaleBits)
		four[1] *= d.factor(hash>>16, scaleBits)
		four[2] *= d.factor(hash>>32, scaleBits)
		four[3] *= d.factor(hash>>48, scaleBits)
		index++
	}
	hash := key.Uint64(index)
	for j := range dst {
		dst[j] *= d.factor(hash>>(16*j), scaleBits)
	}
}

// factor returns 0 if the low 16 bits of hash are below the threshold, and the scale otherwise,
// without a branch.
func (d *dropout) factor(hash uint64, scaleBits uint32) float32 {
	drop := uint32(int32(uint32(uint16(hash))-d.threshold) >> 31) // all ones, or zero
	return math.Float32frombits(scaleBits &^ drop)
}
