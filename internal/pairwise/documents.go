package pairwise

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/exact"
)

// lanes is the number of running sums whose total is a document's own sum.
const lanes = 8

// Documents are those of a query by rank, and the sums of their pairs. The zero value has no
// documents. The memory is reused for the next query.
type Documents struct {
	Stop Stop // ends Pairs early

	n      int       // documents
	stride int       // distance between the beginnings of fields
	values []float64 // memory of all fields, one after the other
	fields
	own   []float64 // own sums of lambdas and of Hessians by rank, used with a kernel
	lists lists     // used without one
}

// fields are by rank. Their length is the number of documents, rounded up to a multiple of lanes. The gains
// of the added places are NaN, which is neither below nor above any other gain:
//
//	values  |gain .......NaN NaN|odds ...........|score ..........| ... |hessian ........|
//	        |<----- stride ---->|<--- stride --->|
//
// The assembly depends on their order.
type fields struct {
	gain, odds, score, discount, lambda, hessian []float64
}

const numFields = 6

// Fill copies the documents of a query and sets their sums to 0. scores (descending) and order (the index of
// each document) are by rank, gains by index. discounts are by rank, for at least as many ranks. No two
// values of σ·score may differ by more than [MaxRange]. The odds of a document are
// exp(σ·(score - largest score)).
func (d *Documents) Fill(scores []float64, order []int32, gains, discounts []float64, sigma float64) {
	d.resize(len(scores))
	copy(d.score, scores)
	copy(d.discount, discounts)
	clear(d.lambda)
	clear(d.hessian)
	gain := d.gain[:len(order)]
	for rank, index := range order {
		gain[rank] = gains[index]
	}
	for rank := len(order); rank < len(d.gain); rank++ {
		d.gain[rank] = math.NaN()
	}
	d.setOdds(scores, sigma)
}

// setOdds sets the odds of the documents. It also sets the places after them, to 1, because exact.Exps is
// fastest for whole blocks.
func (d *Documents) setOdds(scores []float64, sigma float64) {
	odds := d.odds[:len(scores)]
	for rank, s := range scores {
		odds[rank] = float64(sigma * (s - scores[0]))
	}
	clear(d.odds[len(scores):])
	exact.Exps(d.odds)
}

// resize makes fields for n documents. The number of blocks of lanes in a stride is odd, so that the
// same rank of different fields is not in the same set of a cache.
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

// ForgetScores sets all scores, and so the gaps of all pairs, to 0. Call it between Fill and Pairs.
func (d *Documents) ForgetScores() { clear(d.score) }

// Derivatives writes the sums by index: lambdas multiplied by first, Hessians by second. order is
// that of Fill.
func (d *Documents) Derivatives(dstLambda, dstHessian []float64, order []int32, first, second float64) {
	lambda, hessian := d.lambda[:len(order)], d.hessian[:len(order)]
	for rank, index := range order {
		dstLambda[index] = float64(lambda[rank] * first)
		dstHessian[index] = float64(hessian[rank] * second)
	}
}
