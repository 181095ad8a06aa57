package pairwise

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/exact"
	"github.com/lambdamart/lambdamart/test/aid"
)

// query holds the arguments of Fill.
type query struct {
	scores, gains, discounts []float64
	order                    []int32
	sigma                    float64
}

// newQuery draws n documents with at most this many different gains, whose values of σ·score differ by at
// most width. A fifth of the scores equal the previous one.
func newQuery(r *rand.Rand, n, gains int, width float64) query {
	q := query{sigma: 0.5 + r.Float64(), order: make([]int32, n)}
	for i, index := range r.Perm(n) {
		q.order[i] = int32(index)
		q.scores = append(q.scores, (2*r.Float64()-1)*width/2/q.sigma)
		if i > 0 && r.IntN(5) == 0 {
			q.scores[i] = q.scores[i-1]
		}
		q.gains = append(q.gains, float64(r.IntN(gains))/float64(gains))
		q.discounts = append(q.discounts, 1/exact.Log2(float64(i+2)))
	}
	slices.SortFunc(q.scores, func(a, b float64) int { return int(math.Copysign(1, b-a)) })
	return q
}

// sums are the results of Pairs, in the order of documents.
type sums struct {
	lambda, hessian []float64
	total           float64
}

// by sums the pairs with a kernel, in memory that was filled with infinities: at any multiple of 8 bytes, or
// where nothing beyond it can be accessed.
func (q query) by(k kernel, r *rand.Rand, memory aid.Fence[float64], truncation int, offset float64) sums {
	var d Documents
	n := len(q.order)
	d.resize(n)
	d.values = memory.Slice(len(d.values), true)
	if r.IntN(2) == 0 {
		d.values = memory[r.IntN(lanes):][:len(d.values):len(d.values)]
	}
	for i := range d.values {
		d.values[i] = math.Inf(1)
	}
	d.Fill(q.scores, q.order, q.gains, q.discounts, q.sigma)
	s := sums{make([]float64, n), make([]float64, n), d.pairs(k, truncation, offset)}
	d.Derivatives(s.lambda, s.hessian, q.order, 1, 1)
	return s
}

// naive sums the pairs one by one, by the formulas of the package comment and in its order.
func (q query) naive(truncation int, offset float64) sums {
	n := len(q.order)
	s := sums{lambda: make([]float64, n), hessian: make([]float64, n)}
	for i := range min(truncation, n-1) {
		indexI := q.order[i]
		var x, y [2][lanes]float64 // of documents with smaller and with larger gains
		for j := i + 1; j < n; j++ {
			indexJ := q.order[j]
			dGain := q.gains[indexI] - q.gains[indexJ]
			if dGain == 0 {
				continue
			}
			e := func(rank int) float64 { return exact.Exp(float64(q.sigma * (q.scores[rank] - q.scores[0]))) }
			both, low, high, side := e(i)+e(j), e(j), e(i), 0
			if dGain < 0 {
				low, high, side = high, low, 1
			}
			gap := offset + math.Abs(q.scores[i]-q.scores[j])
			w := float64(dGain*(q.discounts[i]-q.discounts[j])) / float64(float64(both*both)*gap)
			lambda, hessian := float64(float64(w*low)*both), float64(math.Abs(float64(w*low))*high)
			s.lambda[indexJ] += lambda
			s.hessian[indexJ] += hessian
			x[side][j%lanes] += lambda
			y[side][j%lanes] += hessian
		}
		s.lambda[indexI] -= tree(x[0]) + tree(x[1])
		s.hessian[indexI] += tree(y[0]) + tree(y[1])
		s.total += tree(x[0]) - tree(x[1])
	}
	return s
}

func tree(s [lanes]float64) float64 {
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

func bits(s sums) []uint64 {
	all := []uint64{math.Float64bits(s.total)}
	for i := range s.lambda {
		all = append(all, math.Float64bits(s.lambda[i]), math.Float64bits(s.hessian[i]))
	}
	return all
}

// newMemory returns memory for the documents of the queries of these tests.
func newMemory(t *testing.T) aid.Fence[float64] {
	return aid.NewFence[float64](t, numFields*(100+4*lanes))
}

// TestKernelsEqualNaive: asking whether to stop changes no bit of the sums.
func TestKernelsEqualNaive(t *testing.T) {
	r, memory := rand.New(rand.NewPCG(1, 1)), newMemory(t)
	defer func(was int) { stretchPairs = was }(stretchPairs)
	for n := range 100 {
		for trial := range 12 {
			gains := []int{1, 2, 5, 1000}[trial%4]
			width := []float64{0, 8, MaxRange}[trial%3]
			truncation := []int{1, 5, 30, 1000}[r.IntN(4)]
			offset := []float64{0.01, 1}[r.IntN(2)]
			q := newQuery(r, n, gains, width)
			if trial%5 == 0 { // derivatives of either sign underflow
				for i := range q.gains {
					q.gains[i] *= 0x1p-1060
				}
			}
			want := q.naive(truncation, offset)
			stretchPairs = 1 + r.IntN(200)
			for _, k := range kernels() {
				require.Equal(t, bits(want), bits(q.by(k, r, memory, truncation, offset)),
					"%v, %d documents, %d gains, range %v, truncation %d, offset %v", k, n, gains, width, truncation, offset)
			}
		}
	}
}

// TestOnePair, computed by hand: two documents have equal scores, and the better one is second. Their odds
// are 1, so w = (0-1)·(1-1/2)/(2²·1) = -1/8, x = -1/8·1·2 = -1/4 and y = 1/8.
func TestOnePair(t *testing.T) {
	q := query{scores: []float64{3, 3}, gains: []float64{1, 0}, discounts: []float64{1, 0.5},
		order: []int32{1, 0}, sigma: 1}
	for _, k := range kernels() {
		s := q.by(k, rand.New(rand.NewPCG(3, 3)), newMemory(t), 1, 1)
		assert.Equal(t, sums{[]float64{-0.25, 0.25}, []float64{0.125, 0.125}, 0.25}, s)
	}
}
