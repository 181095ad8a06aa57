package pairwise

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/exact"
)

// Lanes is the number of running sums that a document's own sums are made of, and
// of documents in a block.
const Lanes = 8

// Where the fields of a block begin, each Lanes numbers. The assembly knows this order.
const (
	gain = iota * Lanes
	odds
	score
	discount
	lambda
	hessian
	blockSize
)

// MaxRange bounds σ·(largest score - smallest score): the square of the smallest
// odds, e^-600, is still a normal number.
const MaxRange = 300

// Documents are the documents of a query by rank. Its zero value has none. Rank r is
// lane r mod Lanes of block r / Lanes.
type Documents struct {
	n      int
	values []float64 // blockSize numbers a block
	lists  lists     // where there is no kernel
}

// place returns where in values the document's fields are, Lanes numbers apart.
func place(rank int) int { return rank/Lanes*blockSize + rank%Lanes }

// Fill takes up the documents of a query and sets their sums to 0. scores (descending)
// and order (the index of each document) are by rank, gains by index. discounts are by
// rank, for at least as many ranks. σ·score may differ by MaxRange at most; the odds of
// a document are exp(σ·(score - largest score)).
func (d *Documents) Fill(scores []float64, order []int32, gains, discounts []float64, sigma float64) {
	d.n = len(scores)
	size := (d.n + Lanes - 1) / Lanes * blockSize
	if cap(d.values) < size {
		d.values = make([]float64, size, 2*size)
	}
	d.values = d.values[:size]
	for from := 0; from < d.n; from += Lanes {
		b := (*[blockSize]float64)(d.values[from*blockSize/Lanes:])
		to := min(d.n, from+Lanes)
		copy(b[score:discount], scores[from:to])
		copy(b[discount:lambda], discounts[from:to])
		clear(b[lambda:])
		fillGains((*[Lanes]float64)(b[gain:]), order[from:to], gains)
		for lane, s := range scores[from:to] {
			b[odds+lane] = exact.Exp(float64(sigma * (s - scores[0])))
		}
	}
}

// fillGains gives lanes without a document the gain NaN, neither below nor above any
// other.
func fillGains(dst *[Lanes]float64, order []int32, gains []float64) {
	for lane := range dst {
		dst[lane] = math.NaN()
		if lane < len(order) {
			dst[lane] = gains[order[lane]]
		}
	}
}

// ForgetScores makes all gaps 0.
func (d *Documents) ForgetScores() {
	for at := 0; at < len(d.values); at += blockSize {
		clear(d.values[at+score : at+discount])
	}
}

// Derivatives writes the sums by index, lambdas times first and Hessians times second.
// order is that of Fill.
func (d *Documents) Derivatives(dstLambda, dstHessian []float64, order []int32, first, second float64) {
	for from := 0; from < len(order); from += Lanes {
		b := (*[blockSize]float64)(d.values[from*blockSize/Lanes:])
		for lane, index := range order[from:min(len(order), from+Lanes)] {
			dstLambda[index] = float64(b[lambda+lane] * first)
			dstHessian[index] = float64(b[hessian+lane] * second)
		}
	}
}
