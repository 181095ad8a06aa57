package objective

import (
	"cmp"
	"slices"

	"github.com/lambdamart/lambdamart/internal/pairwise"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// ranked is a query's documents in the order of their scores.
type ranked struct {
	order     []int32   // index of the document at each rank
	score     []float64 // by rank
	documents pairwise.Documents
	touched   float64 // so that the compiler does not leave touch out
}

// rank orders the documents by descending score, equal scores by ascending
// index. order holds the indexes in any order, best that of the last ranking:
// scores move little from one iteration to the next, so that few steps of an
// insertion sort mend it. It is changed to the new order.
func (r *ranked) rank(scores []float64, order []int32) {
	n := len(scores)
	r.order = order
	r.score = reuse.Slice(r.score, n)
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
}

// mendSteps is the number of steps a document that insertion may take before
// sorting anew is faster.
const mendSteps = 16

// mend sorts order and score by insertion, and gives up after the given number
// of steps.
func (r *ranked) mend(steps int) bool {
	order, score := r.order, r.score[:len(r.order)]
	for rank := 1; rank < len(order); rank++ {
		s, index := score[rank], order[rank]
		above := score[rank-1]
		if s < above {
			continue
		}
		at := rank
		for s > above || s == above && index < order[at-1] {
			score[at], order[at] = above, order[at-1]
			if at--; at == 0 {
				break
			}
			above = score[at-1]
		}
		score[at], order[at] = s, index
		if steps -= rank - at; steps < 0 {
			return false
		}
	}
	return true
}

// touch loads a number of each cache line, and returns their sum, which means nothing.
// Called for all that a query is about to need here and there, it has the cache misses
// overlap.
func touch(values []float64) (sum float64) {
	const cacheLine = 64 / 8 // in numbers; it decides nothing but speed
	for i := 0; i < len(values); i += cacheLine {
		sum += values[i]
	}
	return sum
}
