package objective

import (
	"cmp"
	"slices"

	"github.com/lambdamart/lambdamart/internal/exact"
)

// ranked is a query's documents, put in order for the sums over pairs.
//
// order and score are by rank. The other slices are by place: documents of equal
// grade are neighbours, grades ascend, and within a grade places follow ranks.
// Where pairs are not grouped, places are ranks.
type ranked struct {
	order []int32 // index of the document at each rank
	score []float64

	index    []int32   // of the document at each place
	grade    []int32   // by place
	gain     []float64 // by place
	discount []float64 // of the rank of the document at each place
	scores   []float64 // by place
	odds     []float64 // exp(σ·(score - largest score)), by place
	lambda   []float64 // sums of the pairs so far, by place
	hessian  []float64

	placeOf []int32 // by rank
	end     []int32 // of each grade's places
	next    []int32 // of each grade, its first place whose rank is below that of the document at hand
}

// rank orders the documents by descending score, equal scores by ascending
// index. order holds the indexes in any order, best that of the last ranking:
// scores move little from one iteration to the next, so that few steps of an
// insertion sort mend it. It is changed to the new order.
func (r *ranked) rank(scores []float64, order []int32) {
	n := len(scores)
	r.order = order
	r.score = resize(r.score, n)
	for rank, index := range order {
		r.score[rank] = scores[index]
	}
	if !r.mend(mendSteps * n) {
		slices.SortFunc(order, func(a, b int32) int {
			return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b))
		})
		for rank, index := range order {
			r.score[rank] = scores[index]
		}
	}
	r.lambda, r.hessian = resize(r.lambda, n), resize(r.hessian, n)
	clear(r.lambda)
	clear(r.hessian)
}

// mendSteps is the number of steps a document that insertion may take before
// sorting anew is faster.
const mendSteps = 16

// mend sorts order and score by insertion, and gives up after the given number
// of steps.
func (r *ranked) mend(steps int) bool {
	for rank := 1; rank < len(r.order); rank++ {
		index, score := r.order[rank], r.score[rank]
		at := rank
		for at > 0 && (score > r.score[at-1] || score == r.score[at-1] && index < r.order[at-1]) {
			r.score[at], r.order[at] = r.score[at-1], r.order[at-1]
			at--
		}
		r.score[at], r.order[at] = score, index
		if steps -= rank - at; steps < 0 {
			return false
		}
	}
	return true
}

// keepRanks makes places the same as ranks.
func (r *ranked) keepRanks(grades []int32, gains, discounts []float64) {
	n := len(r.order)
	r.index, r.grade, r.gain = resize(r.index, n), resize(r.grade, n), resize(r.gain, n)
	r.scores, r.discount = resize(r.scores, n), resize(r.discount, n)
	copy(r.index, r.order)
	copy(r.scores, r.score)
	copy(r.discount, discounts)
	for rank, index := range r.order {
		r.grade[rank], r.gain[rank] = grades[index], gains[index]
	}
}

// group gives each document its place: a counting sort of ranks by grade.
func (r *ranked) group(grades []int32, gains, discounts []float64, sigma float64) {
	n := len(r.order)
	r.index, r.grade, r.gain = resize(r.index, n), resize(r.grade, n), resize(r.gain, n)
	r.scores, r.odds, r.placeOf = resize(r.scores, n), resize(r.odds, n), resize(r.placeOf, n)
	r.discount = resize(r.discount, n)
	r.countGrades(grades)
	for rank, index := range r.order {
		grade := grades[index]
		place := r.next[grade]
		r.next[grade]++
		r.placeOf[rank] = place
		r.index[place], r.grade[place], r.gain[place] = index, grade, gains[index]
		r.discount[place], r.scores[place] = discounts[rank], r.score[rank]
		r.odds[place] = exact.Exp(float64(sigma * (r.score[rank] - r.score[0])))
	}
	copy(r.next[1:], r.end)
	r.next[0] = 0
}

// countGrades sets end to the ends of the grades' places, and next to their
// beginnings.
func (r *ranked) countGrades(grades []int32) {
	r.end = append(r.end[:0], 0)
	for _, grade := range grades {
		for int(grade) >= len(r.end) {
			r.end = append(r.end, 0)
		}
		r.end[grade]++
	}
	r.next = resize(r.next, len(r.end))
	total := int32(0)
	for grade, n := range r.end {
		r.next[grade] = total
		total += n
		r.end[grade] = total
	}
}

// resize returns a slice of length n that reuses s if it is long enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, 2*n)
	}
	return s[:n]
}
