package pairwise

import (
	"slices"

	"github.com/lambdamart/lambdamart/metric"
)

// lists are, if there are no vector instructions, the documents with a lower and with a higher gain than
// document i. They skip pairs of equal gains, nearly half of all pairs of real data, without a branch that
// depends on gains. Documents of the first ranks have few different gains, so most
// lists are used for several i.
type lists struct {
	known  int // lists of this query
	oldest int // the list that is replaced next
	lists  [mostLists]partners
}

// mostLists bounds the memory if documents of the first ranks have many different gains.
const mostLists = 8

// partners are the documents whose gains differ from a gain, by rank, ascending.
type partners struct {
	gain         float64
	below, above []int32
	memory       [2][]int32 // backing arrays of below and above
}

// forget drops all lists. It is called before each query.
func (l *lists) forget() { l.known, l.oldest = 0, 0 }

// of returns the partners of the given gain that come after a rank. Ranks must ascend from call to call.
func (l *lists) of(gains []float64, rank int, gain float64) *partners {
	for k := range l.lists[:l.known] {
		if p := &l.lists[k]; p.gain == gain {
			p.below, p.above = past(p.below, rank), past(p.above, rank)
			return p
		}
	}
	p := &l.lists[l.oldest]
	l.known = max(l.known, l.oldest+1)
	l.oldest = (l.oldest + 1) % mostLists
	p.find(gains, rank, gain)
	return p
}

// past returns the ranks after the given one.
func past(ranks []int32, rank int) []int32 {
	for len(ranks) > 0 && int(ranks[0]) <= rank {
		ranks = ranks[1:]
	}
	return ranks
}

// find sets p to the partners of the given gain that come after a rank. It has no branch that depends on
// gains: it writes each rank to the end of both lists, and lengthens only the one to which it belongs.
func (p *partners) find(gains []float64, rank int, gain float64) {
	if len(p.memory[0]) < len(gains) {
		p.memory = [2][]int32{make([]int32, 2*len(gains)), make([]int32, 2*len(gains))}
	}
	p.gain = gain
	below, above := p.memory[0], p.memory[1]
	lower, higher := 0, 0
	for j := rank + 1; j < len(gains); j++ {
		below[lower], above[higher] = int32(j), int32(j)
		lower += one(gains[j] < gain)
		higher += one(gains[j] > gain)
	}
	p.below, p.above = below[:lower], above[:higher]
}

// one returns 1 for true, without a branch.
func one(condition bool) int {
	n := 0
	if condition {
		n = 1
	}
	return n
}

// addBelow adds the pairs of o with the documents of lower gain, whose ranks are given.
func (o *own) addBelow(d *fields, ranks []int32) {
	o.lambdaBelow, o.hessianBelow = [lanes]float64{}, [lanes]float64{}
	gainI, oddsI, scoreI, discountI, offset := o.gain, o.odds, o.score, o.discount, o.offset
	n := len(d.gain)
	gain, odds, score, discount := d.gain, d.odds[:n], d.score[:n], d.discount[:n]
	lambda, hessian := d.lambda[:n], d.hessian[:n]
	for _, j := range ranks {
		low := odds[j]
		both := oddsI + low
		gap := offset + (scoreI - score[j])
		w := float64((gainI-gain[j])*(discountI-discount[j])) / float64(float64(both*both)*gap)
		w = float64(w * low)
		x, y := float64(w*both), float64(w*oddsI)
		lambda[j] += x
		hessian[j] += y
		o.lambdaBelow[j&(lanes-1)] += x
		o.hessianBelow[j&(lanes-1)] += y
	}
}

// addAbove adds the pairs of o with the documents of higher gain, whose ranks are given.
func (o *own) addAbove(d *fields, ranks []int32) {
	o.lambdaAbove, o.hessianAbove = [lanes]float64{}, [lanes]float64{}
	gainI, oddsI, scoreI, discountI, offset := o.gain, o.odds, o.score, o.discount, o.offset
	n := len(d.gain)
	gain, odds, score, discount := d.gain, d.odds[:n], d.score[:n], d.discount[:n]
	lambda, hessian := d.lambda[:n], d.hessian[:n]
	for _, j := range ranks {
		high := odds[j]
		both := oddsI + high
		gap := offset + (scoreI - score[j])
		w := float64((gain[j]-gainI)*(discountI-discount[j])) / float64(float64(both*both)*gap)
		w = float64(w * oddsI)
		x, y := float64(w*both), float64(w*high)
		lambda[j] -= x
		hessian[j] += y
		o.lambdaAbove[j&(lanes-1)] -= x
		o.hessianAbove[j&(lanes-1)] += y
	}
}

// DCG is a table of the discounts of ranks, which computes the DCG of best orders. It reuses its memory. The
// zero value is ready for use.
type DCG struct {
	discounts []float64 // by rank
	sorted    []float64 // gains, ascending
}

// Discounts returns 1/log2(2+rank) by rank, for at least n ranks. The slice must not be changed.
func (d *DCG) Discounts(n int) []float64 {
	for rank := len(d.discounts); rank < n; rank++ {
		d.discounts = append(d.discounts, metric.Log2.At(rank))
	}
	return d.discounts
}

// InverseIdeal returns 1/DCG of the best order of documents with these gains, counting the first truncation
// ranks. It is 0 if that DCG is not positive.
func (d *DCG) InverseIdeal(gains []float64, truncation int) float64 {
	n := len(gains)
	discounts := d.Discounts(n)
	d.sorted = append(d.sorted[:0], gains...)
	slices.Sort(d.sorted)
	best := 0.0
	for rank := range min(truncation, n) {
		best += float64(d.sorted[n-1-rank] * discounts[rank])
	}
	if best <= 0 {
		return 0
	}
	return 1 / best
}
