package nnbaseline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/par"
)

// twin is a network in float64, without matrices or shared memory, written from the definitions. Tests
// compare pass with it.
type twin struct {
	shape
	weights []float64
	masks   [][]float64 // by hidden layer, rows × out: the factors of dropout
}

func newTwin(p *pass) *twin {
	n := p.network
	w := &twin{shape: n.shape, weights: make([]float64, len(n.weights))}
	for i, v := range n.weights {
		w.weights[i] = float64(v)
	}
	for l := range n.numLayers() - 1 {
		out := n.widths[l+1]
		mask := make([]float32, p.rows*out)
		fill(mask, 1)
		for row := range p.rows {
			if p.dropout.drops() {
				p.dropout.apply(mask[row*out:][:out], p.dropout.key(p.step, l), int(p.rowNumbers[row]))
			}
		}
		w.masks = append(w.masks, wide(mask))
	}
	return w
}

func wide(x []float32) []float64 {
	y := make([]float64, len(x))
	for i := range x {
		y[i] = float64(x[i])
	}
	return y
}

// scores returns the scores that the network gives in training.
func (w *twin) scores(x []float64, rows int) []float64 {
	next := 0
	take := func(n int) []float64 {
		next += n
		return w.weights[next-n : next]
	}
	for l := range w.numLayers() {
		in, out := w.widths[l], w.widths[l+1]
		weight, bias := take(in*out), take(out)
		y := make([]float64, rows*out)
		for i := range rows {
			for j := range out {
				y[i*out+j] = bias[j]
				for k := range in {
					y[i*out+j] += x[i*in+k] * weight[k*out+j]
				}
			}
		}
		if l == w.numLayers()-1 {
			return y
		}
		if w.normalized(l) {
			w.normalize(y, rows, out, take(out), take(out))
		}
		for i := range y {
			y[i] = math.Max(0, y[i]) * w.masks[l][i]
		}
		x = y
	}
	return nil
}

func (w *twin) normalize(y []float64, rows, out int, gain, shift []float64) {
	groups := make([][]int, rows)
	for i := range y {
		groups[i/out] = append(groups[i/out], i)
	}
	if w.normalization == BatchNorm {
		groups = make([][]int, out)
		for i := range y {
			groups[i%out] = append(groups[i%out], i)
		}
	}
	for _, group := range groups {
		mean, variance := 0.0, 0.0
		for _, i := range group {
			mean += y[i] / float64(len(group))
		}
		for _, i := range group {
			variance += (y[i] - mean) * (y[i] - mean) / float64(len(group))
		}
		for _, i := range group {
			y[i] = (y[i]-mean)/math.Sqrt(variance+1e-5)*gain[i%out] + shift[i%out]
		}
	}
}

// randomPass returns a pass with random weights and inputs, ready for forward.
func randomPass(rng *rand.Rand, s shape, dropout float64, rows int, pool *par.Pool) *pass {
	n := newNetwork(s)
	n.initialize(rng.Uint64())
	for i := range n.weights {
		n.weights[i] += float32(0.1 * rng.NormFloat64()) // also gains and shifts
	}
	p := newPass(n, dropout, 3, pool)
	p.resize(rows)
	p.step = 7
	for i := range p.inputs {
		p.inputs[i] = float32(rng.NormFloat64())
	}
	for i := range p.rowNumbers {
		p.rowNumbers[i] = int32(10 + 3*i)
	}
	return p
}

func eachShape(t *testing.T, test func(t *testing.T, s shape, dropout float64)) {
	for _, hidden := range [][]int{{}, {10}, {9, 5}, {33, 18, 7}} {
		if testing.Short() && len(hidden) > 2 {
			continue // slow under the race detector
		}
		for _, normalization := range []string{NoNormalization, BatchNorm, LayerNorm} {
			for _, dropout := range []float64{0, 0.3} {
				s := shape{append(append([]int{6}, hidden...), 1), normalization}
				t.Run(fmt.Sprint(hidden, normalization, dropout), func(t *testing.T) { test(t, s, dropout) })
			}
		}
	}
}

func TestForwardEqualsTwin(t *testing.T) {
	eachShape(t, func(t *testing.T, s shape, dropout float64) {
		p := randomPass(rand.New(rand.NewPCG(1, 1)), s, dropout, 11, nil)
		want := newTwin(p).scores(wide(p.inputs), p.rows)
		assert.InDeltaSlice(t, want, wide(p.forward()), 2e-5)
	})
}

// TestGradientAgreesWithFiniteDifferences differentiates the loss Σ c·score, with random c, through the
// whole network. The twin computes the differences, because float32 is too inexact.
func TestGradientAgreesWithFiniteDifferences(t *testing.T) {
	eachShape(t, func(t *testing.T, s shape, dropout float64) {
		rng := rand.New(rand.NewPCG(2, 2))
		p := randomPass(rng, s, dropout, 8, nil)
		w := newTwin(p)
		inputs := wide(p.inputs)
		p.forward()
		for i := range p.scoreErrors() {
			p.scoreErrors()[i] = float32(rng.NormFloat64())
		}
		factors := wide(p.scoreErrors())
		fill(p.gradient, float32(math.NaN())) // must be overwritten
		for l := range p.layers {
			if p.network.layers[l].mean != nil {
				fill(p.layers[l].bias, 0) // not trained
			}
		}
		p.backward()
		const step = 1e-6
		for i := range w.weights {
			at := func(d float64) (sum float64) {
				kept := w.weights[i]
				defer func() { w.weights[i] = kept }()
				w.weights[i] += d
				for row, score := range w.scores(inputs, p.rows) {
					sum += factors[row] * score
				}
				return sum
			}
			want := (at(step) - at(-step)) / (2 * step)
			require.InDelta(t, want, p.gradient[i], 2e-4*(1+math.Abs(want)), "weight %d of %d", i, len(w.weights))
		}
	})
}

// TestRunningNumbers, computed by hand: one unit that copies its input, and two rows.
func TestRunningNumbers(t *testing.T) {
	n := newNetwork(shape{[]int{1, 1, 1}, BatchNorm})
	copy(n.weights, []float32{1, 0.5, 1, 0, 1, 0}) // weight, bias, gain, shift; weight, bias
	fill(n.layers[0].variance, 1)
	p := newPass(n, 0, 0, nil)
	p.resize(2)
	copy(p.inputs, []float32{1, 4})
	p.forward()
	assert.InDelta(t, 0.1*3, n.layers[0].mean[0], 1e-6)             // of 1.5 and 4.5
	assert.InDelta(t, 0.9*1+0.1*4.5, n.layers[0].variance[0], 1e-6) // ((-1.5)² + 1.5²) / (2-1)
}

// TestDropout: each unit is dropped in about 0.4 of the rows, each pair of units together in about 0.4², and
// those that stay grow as much as the others are missed.
func TestDropout(t *testing.T) {
	const units, rows = 8, 4000
	d := newDropout(0.4, 2)
	var both [units][units]int
	values := make([]float32, units)
	for row := range rows {
		fill(values, 1)
		d.apply(values, d.key(1, 0), row)
		for i := range units {
			if values[i] != 0 {
				require.InDelta(t, 1/0.6, values[i], 1e-4)
				continue
			}
			for j := range i + 1 {
				if values[j] == 0 {
					both[i][j]++
				}
			}
		}
	}
	for i := range units {
		assert.InDelta(t, 0.4*rows, both[i][i], 133, "4.3 standard deviations")
		for j := range i {
			assert.InDelta(t, 0.16*rows, both[i][j], 100, "4.3 standard deviations")
		}
	}
}

// TestDropoutIsItsRows: the units dropped for a row do not depend on its position in the batch.
func TestDropoutIsItsRows(t *testing.T) {
	d := newDropout(0.5, 1)
	mask := func(step, layer, row int) string {
		values := make([]float32, 30)
		fill(values, 1)
		d.apply(values, d.key(step, layer), row)
		return fmt.Sprint(values)
	}
	assert.Equal(t, mask(1, 0, 5), mask(1, 0, 5))
	seen := map[string]bool{}
	for _, key := range [][3]int{{1, 0, 5}, {2, 0, 5}, {1, 1, 5}, {1, 0, 6}} {
		seen[mask(key[0], key[1], key[2])] = true
	}
	assert.Len(t, seen, 4)
}

// TestSpecialOutputs: the branchless masks handle NaN, infinities, -0 and the smallest numbers.
func TestSpecialOutputs(t *testing.T) {
	nan := float32(math.NaN())
	values := []float32{-1, 0, 2, nan, float32(math.Inf(1)), float32(math.Copysign(0, -1))}
	addRelu(values, make([]float32, len(values)))
	assert.Equal(t, []float32{0, 0, 2}, values[:3])
	assert.True(t, values[3] != values[3], "NaN must show in the loss")
	assert.True(t, math.IsInf(float64(values[4]), 1))
	assert.Zero(t, math.Float32bits(values[5]), "not -0")
	errors := []float32{1, 1, 1}
	mask(errors, []float32{0, 1e-45, 3}, 1)
	assert.Equal(t, []float32{0, 1, 1}, errors)
	mask(errors, []float32{0, 1e-45, 0}, 2)
	assert.Equal(t, []float32{0, 2, 0}, errors)
}
