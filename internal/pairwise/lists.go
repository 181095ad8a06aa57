package pairwise

import "math"

// lists tell, without vector instructions, which documents have a lower and which a
// higher gain than the document at hand: pairs of equal gains, nearly half of all, are
// not looked at, and no branch depends on gains. Few gains share the first ranks, so
// that a list serves again.
type lists struct {
	known  int // lists of this query
	oldest int // the next to give way
	lists  [mostLists]partners
}

// mostLists bounds memory where many gains share the first ranks.
const mostLists = 8

// partners are the documents whose gains differ from a gain, by place, ascending.
type partners struct {
	gain         float64
	below, above []int32
	memory       [2][]int32 // of both, whole
}

// forget is called between queries.
func (l *lists) forget() { l.known, l.oldest = 0, 0 }

// of returns the partners of the given gain past a rank. Ranks ascend from call to
// call.
func (l *lists) of(values []float64, rank int, gain float64) *partners {
	for k := range l.lists[:l.known] {
		if p := &l.lists[k]; p.gain == gain {
			p.below, p.above = past(p.below, place(rank)), past(p.above, place(rank))
			return p
		}
	}
	p := &l.lists[l.oldest]
	l.known = max(l.known, l.oldest+1)
	l.oldest = (l.oldest + 1) % mostLists
	p.find(values, rank, gain)
	return p
}

// past returns the places after the given one.
func past(places []int32, place int) []int32 {
	for len(places) > 0 && places[0] <= int32(place) {
		places = places[1:]
	}
	return places
}

// find looks through the documents from a rank's block on: those past the rank, and
// earlier ones, whose gain is NaN.
func (p *partners) find(values []float64, rank int, gain float64) {
	if n := len(values) / blockSize * Lanes; len(p.memory[0]) < n {
		p.memory = [2][]int32{make([]int32, 2*n), make([]int32, 2*n)}
	}
	p.gain = gain
	below, above := p.memory[0], p.memory[1]
	lower, higher := 0, 0
	for at := rank / Lanes * blockSize; at < len(values); at += blockSize {
		for lane, g := range (*[Lanes]float64)(values[at:]) {
			below[lower], above[higher] = int32(at+lane), int32(at+lane)
			lower += one(g < gain)
			higher += one(g > gain)
		}
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

// addBelow adds the pairs with documents of lower gain, whose places are given.
func (o *own) addBelow(values []float64, places []int32) {
	o.lambdaBelow, o.hessianBelow = [Lanes]float64{}, [Lanes]float64{}
	gainI, oddsI, scoreI, discountI, offset := o.gain, o.odds, o.score, o.discount, o.offset
	for _, place := range places {
		j := (*[hessian + 1]float64)(values[place:])
		low := j[odds]
		both := oddsI + low
		gap := offset + math.Abs(scoreI-j[score])
		w := float64((gainI-j[gain])*(discountI-j[discount])) / float64(float64(both*both)*gap)
		w = float64(w * low)
		x, y := float64(w*both), float64(w*oddsI)
		j[lambda] += x
		j[hessian] += y
		o.lambdaBelow[place&(Lanes-1)] += x
		o.hessianBelow[place&(Lanes-1)] += y
	}
}

// addAbove is addBelow for documents of higher gain.
func (o *own) addAbove(values []float64, places []int32) {
	o.lambdaAbove, o.hessianAbove = [Lanes]float64{}, [Lanes]float64{}
	gainI, oddsI, scoreI, discountI, offset := o.gain, o.odds, o.score, o.discount, o.offset
	for _, place := range places {
		j := (*[hessian + 1]float64)(values[place:])
		high := j[odds]
		both := oddsI + high
		gap := offset + math.Abs(scoreI-j[score])
		w := float64((j[gain]-gainI)*(discountI-j[discount])) / float64(float64(both*both)*gap)
		w = float64(w * oddsI)
		x, y := float64(w*both), float64(w*high)
		j[lambda] -= x
		j[hessian] += y
		o.lambdaAbove[place&(Lanes-1)] -= x
		o.hessianAbove[place&(Lanes-1)] += y
	}
}
