package metric

import "math"

// judgeERR judges by expected reciprocal rank. A reader goes down the list and stops at a
// document of label l with probability (2^l - 1)/2^TopGrade; the value is the mean of 1/(rank+1)
// for the rank of the stop, counted as 0 if that is not below k (O. Chapelle and others, Expected
// reciprocal rank for graded relevance, CIKM 2009). It is not divided by the best possible value,
// which is below 1.
//
// It goes down blocks of documents that share ranks. In the mean over their orders, a reader who enters a
// block continues after m of its documents with a probability that is the mean, over all choices of m
// documents, of the product of their 1 - stop. The probability of a stop at the m-th document is the
// difference between the probabilities for m-1 and for m.
func judgeERR(m *metric, q *query) verdict {
	if isEmpty(q.Labels) && isEmpty(q.Unranked) {
		return m.empty()
	}
	r := q.ranking(m.rules.Ties)
	depth := m.depth(r)
	v := verdict{counts: true, tied: r.firstTie < depth}
	enters := 1.0 // the probability that the reader reaches the block
	for b := range r.blocks(depth) {
		q.products = m.stays(q.products, b)
		for rank := b.first; rank < b.end; rank++ {
			at := rank - b.first
			v.value += float64(enters*(q.products[at]-q.products[at+1])) / float64(rank+1)
		}
		enters *= q.products[b.end-b.first]
	}
	return v
}

// stays returns in dst, for each number m of documents from 0 to b.end-b.first, the mean product of
// the 1 - stop of m of the block's documents. It adds one document after the other: the last of t
// documents is among m chosen ones with probability m/t.
func (m *metric) stays(dst []float64, b block) []float64 {
	most := b.end - b.first
	dst = append(dst[:0], 1)
	for i, label := range b.labels {
		stay := 1 - m.rules.stop(label)
		t := float64(i + 1)
		if i < most {
			dst = append(dst, 0)
		}
		for chosen := min(i+1, most); chosen > 0; chosen-- {
			share := float64(chosen) / t
			dst[chosen] = float64((1-share)*dst[chosen]) + float64(share*float64(stay*dst[chosen-1]))
		}
	}
	return dst
}

// stop returns the probability that the reader stops at a document of the label.
func (c *Convention) stop(label float64) float64 {
	if label < 0 {
		return 0
	}
	return exp2Minus1(label) / math.Ldexp(1, c.TopGrade)
}
