package pairwise

import "math"

// lanes is the number of running sums that a document's own sums are made of.
const lanes = 8

// Documents are the documents of a query by rank. Its zero value has none.
type Documents struct {
	n      int
	stride int
	values []float64 // of the fields below, one after the other, stride numbers each
	fields
	lists lists // where there is no kernel
}

// fields are by rank, and go on past the last to a multiple of lanes. There the gains
// are NaN: neither below nor above any other. The assembly knows their order.
type fields struct {
	gain, odds, score, discount, lambda, hessian []float64
}

const numFields = 6

// Fill takes up the documents of a query and sets their sums to 0. scores (descending)
// and order (the index of each document) are by rank, gains by index. discounts are by
// rank, for at least as many ranks. σ·score may differ by MaxRange at most; the odds of
// a document are exp(σ·(score - largest score)).
func (d *Documents) Fill(scores []float64, order []int32, gains, discounts []float64, sigma float64) {
	d.resize(len(scores))
	copy(d.score, scores)
	copy(d.discount, discounts)
	clear(d.lambda)
	clear(d.hessian)
	gain, odds := d.gain[:len(order)], d.odds[:len(scores)]
	for rank, index := range order {
		gain[rank] = gains[index]
	}
	for rank := len(order); rank < len(d.gain); rank++ {
		d.gain[rank] = math.NaN()
	}
	for rank, s := range scores {
		odds[rank] = oddsOf(sigma, s, scores[0])
	}
}

// resize makes fields for n documents. The number of blocks in a stride is odd, so that
// fields do not meet in the same sets of a cache.
func (d *Documents) resize(n int) {
	d.n = n
	blocks := (n + lanes - 1) / lanes
	d.stride = (blocks | 1) * lanes
	if cap(d.values) < numFields*d.stride {
		d.values = make([]float64, 2*numFields*d.stride)
	}
	d.values = d.values[:numFields*d.stride]
	for i, field := range []*[]float64{&d.gain, &d.odds, &d.score, &d.discount, &d.lambda, &d.hessian} {
		*field = d.values[i*d.stride:][:blocks*lanes]
	}
}

// ForgetScores makes all gaps 0.
func (d *Documents) ForgetScores() { clear(d.score) }

// Derivatives writes the sums by index, lambdas times first and Hessians times second.
// order is that of Fill.
func (d *Documents) Derivatives(dstLambda, dstHessian []float64, order []int32, first, second float64) {
	lambda, hessian := d.lambda[:len(order)], d.hessian[:len(order)]
	for rank, index := range order {
		dstLambda[index] = float64(lambda[rank] * first)
		dstHessian[index] = float64(hessian[rank] * second)
	}
}
