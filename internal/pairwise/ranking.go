package pairwise

import (
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/internal/reuse"
)

// Ranking is a query's documents in the order of their scores, largest first.
type Ranking struct {
	Order []int32   // index of the document at each rank
	Score []float64 // by rank
	equal bool      // whether Rank saw two equal scores

	digits *digits // nil until many documents are ranked
}

// Rank orders the documents by their scores, which are by index. last holds all indexes in any order, ideally
// that of the last ranking: scores change little between iterations, so a few steps of an insertion sort
// restore the order. Rank sets last to the new order, unless there are so many documents that it ranks them
// without an earlier one. Documents with equal scores are ordered by descending gain, if gains (by index) are
// given, and those with equal gains by index.
func (r *Ranking) Rank(scores []float64, last []uint16, gains []float64) {
	r.Order, r.equal = reuse.Slice(r.Order, len(scores)), false
	if len(scores) >= manyDocuments {
		r.rankByDigits(scores, gains)
		r.sort(scores, gains)
		return
	}
	order := r.Order[:len(last)]
	for rank, index := range last {
		order[rank] = int32(index)
	}
	r.sort(scores, gains)
	for rank, index := range order {
		last[rank] = uint16(index)
	}
}

// sort sorts r.Order, which is nearly sorted, and sets the scores.
func (r *Ranking) sort(scores, gains []float64) {
	r.setScores(scores)
	if !r.insert(insertSteps*len(r.Order), gains) {
		sortDescending(r.Order, scores, gains)
		r.setScores(scores)
		r.equal = true // perhaps
	}
}

// RankAnew is like Rank, without an earlier order to begin with.
func (r *Ranking) RankAnew(scores []float64) {
	r.Order = Descending(r.Order, scores)
	r.setScores(scores)
}

// Spread returns the difference between the largest and the smallest score.
func (r *Ranking) Spread() float64 { return r.Score[0] - r.Score[len(r.Score)-1] }

// Tied reports whether all scores are equal.
func (r *Ranking) Tied() bool { return r.Score[0] == r.Score[len(r.Score)-1] }

// setScores fills r.Score by r.Order.
func (r *Ranking) setScores(scores []float64) {
	score := reuse.Slice(r.Score, len(r.Order))
	for rank, index := range r.Order {
		score[rank] = scores[index]
	}
	r.Score = score
}

// insertSteps is the number of insertion steps a document above which sorting from scratch is faster.
const insertSteps = 16

// earlier reports whether document a comes before document b if their scores are equal.
func earlier(a, b int32, gains []float64) bool {
	if gains == nil || gains[a] == gains[b] {
		return a < b
	}
	return gains[a] > gains[b]
}

// insert sorts r by insertion. It gives up after the given number of steps, and then returns false.
func (r *Ranking) insert(steps int, gains []float64) bool {
	order, score := r.Order, r.Score[:len(r.Order)]
	for rank := 1; rank < len(order); rank++ {
		s, index := score[rank], order[rank]
		above := score[rank-1]
		if s < above {
			continue
		}
		at := rank
		for s > above || s == above && earlier(index, order[at-1], gains) {
			score[at], order[at] = above, order[at-1]
			if at--; at == 0 {
				break
			}
			above = score[at-1]
		}
		score[at], order[at] = s, index
		if at > 0 && score[at-1] == s || at < rank && score[at+1] == s {
			r.equal = true
		}
		if steps -= rank - at; steps < 0 {
			return false
		}
	}
	return true
}

// Descending returns the indexes of values by descending value; equal values are in the order of their
// indexes. The result is in dst if it is large enough.
func Descending(dst []int32, values []float64) []int32 {
	dst = reuse.Slice(dst, len(values))
	setIndexes(dst)
	sortDescending(dst, values, nil)
	return dst
}

// setIndexes sets each element of order to its index.
func setIndexes(order []int32) {
	for i := range order {
		order[i] = int32(i)
	}
}

func sortDescending(indexes []int32, values, gains []float64) {
	slices.SortFunc(indexes, func(a, b int32) int {
		switch {
		case values[a] > values[b]:
			return -1
		case values[a] < values[b]:
			return 1
		case a == b:
			return 0
		case earlier(a, b, gains):
			return -1
		}
		return 1
	})
}

// Swaps are the pairs of documents from which LambdaRank learns: those with different gains and at least one
// document among the first ranks. The weight of a pair is the change of DCG if the two were swapped (Burges,
// From RankNet to LambdaRank to LambdaMART, MSR-TR-2010-82, section 3).
type Swaps struct {
	Ranking
	Gains      []float64 // by index
	Discounts  []float64 // by rank, for at least as many ranks
	Truncation int       // number of first ranks
	Scale      float64   // factor on all weights, such as 1/maxDCG
	GapOffset  float64   // weights are divided by this plus the gap of scores; 0 leaves them undivided
	Ties       *Ties     // of the ranking; nil if the order of documents with equal scores matters
	Stop       Stop      // ends All early
}

// Swap is a pair of documents.
type Swap struct {
	High, Low int32   // indexes of the documents of larger and of smaller gain
	Gap       float64 // score of High minus score of Low
	Delta     float64 // weight, not negative
}

// All yields the pairs by the rank of their upper document, then of the lower one. It is the straightforward
// way; [Documents.Pairs] is the fast one, which only computes sums of derivatives.
func (s *Swaps) All(yield func(Swap) bool) {
	upper := s.Truncation
	if s.Ties != nil {
		upper = s.Ties.upper()
	}
	for i := range min(upper, len(s.Order)-1) {
		if s.Stop.At(i, len(s.Order)) || !s.with(i, yield) {
			return
		}
	}
}

// with yields the pairs of the document at rank i with those below it. It returns false if yield does.
func (s *Swaps) with(i int, yield func(Swap) bool) bool {
	index, score, discount := s.Order[i], s.Score[i], s.Discounts[i]
	gain := s.Gains[index]
	for j := i + 1; j < len(s.Order); j++ {
		p := Swap{High: index, Low: s.Order[j], Gap: score - s.Score[j]}
		more := gain - s.Gains[p.Low]
		if more == 0 {
			continue
		}
		if more < 0 {
			p.High, p.Low, p.Gap, more = p.Low, p.High, -p.Gap, -more
		}
		change := discount - s.Discounts[j]
		if s.Ties != nil {
			change = s.Ties.change(i, j)
		}
		p.Delta = more * change * s.Scale
		if s.GapOffset > 0 {
			p.Delta /= s.GapOffset + math.Abs(p.Gap)
		}
		if !yield(p) {
			return false
		}
	}
	return true
}
