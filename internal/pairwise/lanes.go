package pairwise

import "math"

// mostInLanes is the number of documents up to which queries are ranked faster by exchanges, whose number
// grows faster than that of documents, than one by one. Only speed depends on it.
const mostInLanes = 16

// Rank ranks the queries that were added, and returns a bit for each that it has ranked. The others, which
// have many documents, equal scores or scores too far apart (see [Distant]), need [Together.SetRanking] or
// [Together.Leave]. discounts and offset are those of SetRanking. A lane of a vector has the documents of a
// query, so that one network of exchanges ranks all queries, without a branch that depends on a score.
func (t *Together) Rank(discounts []float64, sigma, offset float64) (ranked uint) {
	if t.most > mostInLanes {
		return 0
	}
	copy(t.index[:t.most*lanes], indexes[:])
	for lane := range t.n {
		for at := t.queries[lane].n*lanes + lane; at < t.most*lanes; at += lanes {
			t.score[at] = math.Inf(-1)
		}
	}
	ranked = best.rankTogether(t, discounts[:t.most], sigma) & (1<<t.n - 1)
	for lane := range t.n {
		last := (t.queries[lane].n - 1) * lanes
		if near := float64(sigma*(t.score[lane]-t.score[last+lane])) <= MaxRange; !near {
			ranked &^= 1 << lane
		}
		t.offsets[lane] = offset
	}
	if offset == 0 {
		t.forgetScores()
	}
	return ranked
}

// forgetScores sets all gaps of scores to 0, and adds 1 to them.
func (t *Together) forgetScores() {
	clear(t.score[:t.most*lanes])
	for lane := range t.offsets {
		t.offsets[lane] = 1
	}
}

// indexes are the numbers of documents, for each query.
var indexes = func() (all [mostInLanes * lanes]int64) {
	for at := range all {
		all[at] = int64(at / lanes)
	}
	return all
}()

// exchange is two ranks whose documents change places if the one at the later rank has the larger score. They
// are in bytes from the beginning of a field.
type exchange struct{ first, second uint16 }

// networks are the exchanges that rank a number of documents, by that number.
var networks = func() (all [mostInLanes + 1][]exchange) {
	for n := range all {
		all[n] = network(n)
	}
	return all
}()

// network returns the exchanges of Batcher's merging of odd and even ranks (Knuth, The Art of Computer
// Programming, volume 3, 2nd ed., algorithm 5.2.2M).
func network(n int) (all []exchange) {
	top := 1
	for 2*top < n {
		top *= 2
	}
	for p := top; p > 0; p /= 2 {
		for q, r, d := top, 0, p; ; q, r, d = q/2, p, q-p {
			for i := range max(0, n-d) {
				if i&p == r {
					all = append(all, exchange{uint16(i * lanes * number), uint16((i + d) * lanes * number)})
				}
			}
			if q == p {
				break
			}
		}
	}
	return all
}
