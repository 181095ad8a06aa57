package nnbaseline

import "math"

const (
	// normEpsilon is added to variances, as in PyTorch.
	normEpsilon = 1e-5
	// runningShare is how much of the running mean and variance a step replaces, as
	// in PyTorch.
	runningShare = 0.1
)

// normalize turns a layer's sums into (sum + bias - mean) / √(variance + epsilon):
// mean and variance of a unit over the rows of the step (batch normalization, Ioffe
// and Szegedy 2015) or of a row over its units (layer normalization, Ba, Kiros and
// Hinton 2016).
func (p *pass) normalize(out int) {
	if p.network.normalization == BatchNorm {
		p.share(out, p.rows, unitBlock, p.tasks.normalizeUnits)
		return
	}
	p.share(p.rows, out, rowBlock, p.tasks.normalizeRows)
}

// normalizeUnits normalizes units [from, to) over the rows, and moves the running
// mean and variance; that is unbiased, as in PyTorch.
func (p *pass) normalizeUnits(_, from, to int) {
	l := &p.network.layers[p.layer]
	sums := p.sums[p.layer]
	n := float64(p.rows)
	for j := from; j < to; j++ {
		total := 0.0
		for row := range p.rows {
			total += float64(sums[row*l.out+j])
		}
		mean, squares := total/n, 0.0
		for row := range p.rows {
			d := float64(sums[row*l.out+j]) - mean
			squares += float64(d * d)
		}
		spread := 1 / math.Sqrt(squares/n+normEpsilon)
		for row := range p.rows {
			sums[row*l.out+j] = float32((float64(sums[row*l.out+j]) - mean) * spread)
		}
		p.spreads[p.layer][j] = float32(spread)
		l.mean[j] = running(l.mean[j], mean+float64(l.bias[j]))
		l.variance[j] = running(l.variance[j], squares/math.Max(1, n-1))
	}
}

func running(old float32, now float64) float32 {
	return float32(float64((1-runningShare)*float64(old)) + float64(runningShare*now))
}

// normalizeRows normalizes rows [from, to) over the units.
func (p *pass) normalizeRows(_, from, to int) {
	l := &p.network.layers[p.layer]
	for row := from; row < to; row++ {
		p.spreads[p.layer][row] = normalizeRow(p.sums[p.layer][row*l.out:][:l.out], l.bias)
	}
}

// normalizeRow adds the bias to one row, normalizes it, and returns what it was
// multiplied by.
func normalizeRow(values, bias []float32) (spread float32) {
	n, total := float64(len(values)), 0.0
	for j := range values {
		values[j] += bias[j]
		total += float64(values[j])
	}
	mean, squares := total/n, 0.0
	for _, v := range values {
		d := float64(v) - mean
		squares += float64(d * d)
	}
	factor := 1 / math.Sqrt(squares/n+normEpsilon)
	for j, v := range values {
		values[j] = float32((float64(v) - mean) * factor)
	}
	return float32(factor)
}

// unnormalize turns derivatives by what went into ReLU into those by the sums, and
// finds the derivatives of gain and shift. With x the normalized sums, e the errors
// and means over what was normalized together,
//
//	∂/∂sum = spread · (gain·e - mean(gain·e) - x · mean(gain·e·x))
func (p *pass) unnormalize(out int) {
	if p.network.normalization == BatchNorm {
		p.share(out, p.rows, unitBlock, p.tasks.unnormalizeUnits)
		return
	}
	p.share(out, p.rows, unitBlock, p.tasks.unnormalizeUnits)
	p.share(p.rows, out, rowBlock, p.tasks.unnormalizeRows)
}

// unnormalizeUnits finds the derivatives of gain and shift of units [from, to), and
// with batch normalization those by their sums.
func (p *pass) unnormalizeUnits(_, from, to int) {
	l, gradient := &p.network.layers[p.layer], &p.layers[p.layer]
	x, e := p.sums[p.layer], p.errors[p.layer]
	n := float64(p.rows)
	for j := from; j < to; j++ {
		sum, product := 0.0, 0.0
		for i := j; i < p.rows*l.out; i += l.out {
			sum += float64(e[i])
			product += float64(float64(e[i]) * float64(x[i]))
		}
		gradient.shift[j], gradient.gain[j] = float32(sum), float32(product)
		if p.network.normalization != BatchNorm {
			continue
		}
		factor := float64(float64(p.spreads[p.layer][j]) * float64(l.gain[j]))
		for i := j; i < p.rows*l.out; i += l.out {
			e[i] = float32(factor * (float64(e[i]) - sum/n - float64(float64(x[i])*(product/n))))
		}
	}
}

// unnormalizeRows finds the derivatives by the sums of rows [from, to) under layer
// normalization.
func (p *pass) unnormalizeRows(_, from, to int) {
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
