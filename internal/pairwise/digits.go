package pairwise

import (
	"math"

	"github.com/lambdamart/lambdamart/internal/reuse"
)

// Many documents are ranked by digits: scores and gains become whole numbers, whose order is that of the
// scores and gains except that some are equal, and three stable passes distribute the documents by the gain
// and by the lower and the upper digit of the score. A few steps of insertion then finish. There are no
// branches that depend on a score, and documents may move any number of ranks.
//
// Without gains, the first pass leaves the order of the indexes.

const (
	digitBits = 11
	digitSize = 1 << digitBits
	gainSize  = 1 << 8 // digits of gains

	// manyDocuments is the number of documents from which passes take less time than steps of insertion do when
	// each document passes a few others. Only speed depends on it.
	manyDocuments = 512
)

// digits is the memory of [Ranking.rankByDigits]. A word has the number of a document's score in the upper
// half, and its index in the lower one.
type digits struct {
	words, other []uint64
	gains        [gainSize]int32
	lower, upper [digitSize]int32
}

// rankByDigits sets r.Order to an order of the documents in which each is near to its rank; if scores are not
// finite, to the order of their indexes.
func (r *Ranking) rankByDigits(scores, gains []float64) {
	ofScores, ok := newSteps(scores, digitSize*digitSize)
	if !ok {
		setIndexes(r.Order)
		return
	}
	if r.digits == nil {
		r.digits = new(digits)
	}
	d := r.digits
	d.gains, d.lower, d.upper = [gainSize]int32{}, [digitSize]int32{}, [digitSize]int32{}
	d.words, d.other = reuse.Slice(d.words, len(scores)), reuse.Slice(d.other, len(scores))
	for i, s := range scores {
		n := ofScores.of(s)
		d.words[i] = n<<32 | uint64(i)
		d.lower[n%digitSize]++
		d.upper[n/digitSize]++
	}
	if ofGains, ok := newSteps(gains, gainSize); ok {
		d.passByGain(gains, ofGains)
	}
	pass(d.other, d.words, &d.lower, 32)
	pass(d.words, d.other, &d.upper, 32+digitBits)
	for rank, w := range d.words {
		r.Order[rank] = int32(uint32(w))
	}
}

// passByGain distributes the words, which are in the order of indexes, by descending gain.
func (d *digits) passByGain(gains []float64, steps steps) {
	for _, g := range gains {
		d.gains[steps.of(g)%gainSize]++
	}
	addUp(d.gains[:])
	for i, g := range gains {
		at := &d.gains[steps.of(g)%gainSize]
		d.other[*at] = d.words[i]
		*at++
	}
	d.words, d.other = d.other, d.words
}

// pass moves words to dst, stably sorted by the digit above the given bit, whose values have these counts.
func pass(dst, words []uint64, counts *[digitSize]int32, bit int) {
	addUp(counts[:])
	dst = dst[:len(words)]
	for _, w := range words {
		at := &counts[w>>(bit&63)%digitSize]
		dst[*at] = w
		*at++
	}
}

// addUp replaces each count by the sum of those before it.
func addUp(counts []int32) {
	sum := int32(0)
	for i, n := range counts {
		counts[i] = sum
		sum += n
	}
}

// steps divide the range of some values into equal steps, from the largest value down.
type steps struct{ first, perUnit float64 }

// newSteps returns the given number of steps, and false if there are no values or their range is not finite.
func newSteps(values []float64, number int) (s steps, ok bool) {
	if len(values) == 0 {
		return s, false
	}
	least, most := values[0], values[0]
	for _, v := range values {
		least, most = min(least, v), max(most, v) // NaN if a value is
	}
	s = steps{first: most, perUnit: float64(number-1) / (most - least)}
	if most == least {
		s.perUnit = 0
	}
	return s, most-least <= math.MaxFloat64 && s.perUnit <= math.MaxFloat64
}

// of returns the number of the step of a value.
func (s steps) of(v float64) uint64 { return uint64(int64((s.first - v) * s.perUnit)) }
