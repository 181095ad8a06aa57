package gemm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// odd values stand among normal ones in these tests.
var odd = []float32{0, float32(math.Copysign(0, -1)), float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 1e-45, -3e38}

func oddValues(r *rand.Rand, n int) []float32 {
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(r.NormFloat64())
		if r.IntN(4) == 0 {
			values[i] = odd[r.IntN(len(odd))]
		}
	}
	return values
}

// forMatrices runs a test for matrices of all widths around a vector's.
func forMatrices(test func(r *rand.Rand, rows, columns int)) {
	r := rand.New(rand.NewPCG(1, 2))
	for rows := range 5 {
		for columns := 1; columns < 35; columns++ {
			test(r, rows, columns)
		}
	}
}

func TestAddReLUVectorsEqualGo(t *testing.T) {
	forMatrices(func(r *rand.Rand, rows, columns int) {
		want, bias := oddValues(r, rows*columns+8), oddValues(r, columns)
		got := slices.Clone(want)
		addReLU(want[:rows*columns], bias, 0)
		AddReLU(got[:rows*columns], bias)
		equalBits(t, want, got, rows, columns)
	})
}

func TestReLUGradientVectorsEqualGo(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	for n := range 70 {
		outputs, want := oddValues(r, n), oddValues(r, n+8)
		got := slices.Clone(want)
		reLUGradient(want[:n], outputs, 1.25)
		ReLUGradient(got[:n], outputs, 1.25)
		equalBits(t, want, got, n)
	}
}

func TestAddRowsVectorsEqualGo(t *testing.T) {
	forMatrices(func(r *rand.Rand, rows, columns int) {
		distance := columns + r.IntN(3)
		values, want := oddValues(r, rows*distance), oddValues(r, columns+8)
		got := slices.Clone(want)
		addRows(want[:columns], values, rows, distance)
		AddRows(got[:columns], values, rows, distance)
		equalBits(t, want, got, rows, columns)
	})
}

func TestDropoutVectorsEqualGo(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 70 {
		for _, dropped := range []int{0, 1, 1 << 15, 1<<16 - 1, 1 << 16} {
			random := make([]uint64, (n+3)/4)
			for i := range random {
				random[i] = r.Uint64()
				if i%2 == 1 { // draws of 0 and of 65535
					random[i] = 0xffff0000
				}
			}
			want := oddValues(r, n+8)
			got := slices.Clone(want)
			dropout(want[:n], random, 0, dropped, 1.25)
			Dropout(got[:n], random, dropped, 1.25)
			equalBits(t, want, got, n, dropped)
		}
	}
}

// By hand.
func TestReLUAndItsGradient(t *testing.T) {
	values := []float32{1, -1, 3, -4}
	AddReLU(values, []float32{-2, 2})
	assert.Equal(t, []float32{0, 1, 1, 0}, values)

	gradient := []float32{5, 6, 7, 8}
	ReLUGradient(gradient, values, 2)
	assert.Equal(t, []float32{0, 12, 14, 0}, gradient)
	sums := []float32{100, 200}
	AddRows(sums, gradient, 2, 2)
	assert.Equal(t, []float32{114, 212}, sums)
}

func TestDropoutTakesLowBitsFirst(t *testing.T) {
	values := []float32{1, 2, 3, 4, 5}
	Dropout(values, []uint64{0x8000_0001_ffff_0000, 0x7fff}, 1<<15, 2)
	assert.Equal(t, []float32{0, 4, 0, 8, 0}, values)
}

func TestShortSlicesPanic(t *testing.T) {
	assert.Panics(t, func() { ReLUGradient(make([]float32, 4), make([]float32, 3, 3), 1) })
	assert.Panics(t, func() { AddRows(make([]float32, 2), make([]float32, 5, 5), 3, 2) })
	assert.Panics(t, func() { AddRows(make([]float32, 2), make([]float32, 9), 3, 1) })
	assert.Panics(t, func() { Dropout(make([]float32, 5), make([]uint64, 1, 1), 1, 1) })
	assert.NotPanics(t, func() { AddReLU(nil, nil) })
}

// The hidden layers of 512-256-128 for a query of 120 documents.
func BenchmarkHidden(b *testing.B) {
	const rows, columns = 120, 896
	r := rand.New(rand.NewPCG(5, 6))
	values, outputs, bias := make([]float32, rows*columns), make([]float32, rows*columns), make([]float32, columns)
	random := make([]uint64, rows*columns/drawsPerWord)
	for i := range values {
		values[i], outputs[i] = float32(r.NormFloat64()), float32(r.NormFloat64())
	}
	for i := range random {
		random[i] = r.Uint64()
	}
	for _, of := range []struct {
		name string
		pass func()
	}{
		{"relu/vectors", func() { AddReLU(values, bias) }},
		{"relu/go", func() { addReLU(values, bias, 0) }},
		{"gradient/vectors", func() { ReLUGradient(values, outputs, 1) }},
		{"gradient/go", func() { reLUGradient(values, outputs, 1) }},
		{"rows/vectors", func() { AddRows(bias, outputs, rows, columns) }},
		{"rows/go", func() { addRows(bias, outputs, rows, columns) }},
		{"dropout/vectors", func() { Dropout(values, random, 13107, 1) }},
		{"dropout/go", func() { dropout(values, random, 0, 13107, 1) }},
	} {
		b.Run(of.name, func(b *testing.B) {
			for i := range values { // half of them below 0, in no order
				values[i] = outputs[len(outputs)-1-i]
			}
			for b.Loop() {
				of.pass()
			}
		})
	}
}
