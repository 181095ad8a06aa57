package metric

import group "github.com/lambdamart/lambdamart/ranks"

// sumUp adds the verdicts on the lists of all ranks to the results. Means are sums of floats in the order
// of the queries, so that the sums go from rank to rank.
func (e *Evaluator) sumUp(lists []List, g group.Group) {
	sums := make([]float64, 2*len(e.tallies))
	group.Chain(g, sums, func() {
		for i := range e.tallies {
			e.tallies[i].sum, e.tallies[i].weights = sums[2*i], sums[2*i+1]
		}
		e.tally(lists)
		for i := range e.tallies {
			sums[2*i], sums[2*i+1] = e.tallies[i].sum, e.tallies[i].weights
		}
	})
	if g.Size() == 1 {
		return
	}
	var counts []int64
	for i := range e.tallies {
		r := &e.tallies[i].result
		e.tallies[i].sum, e.tallies[i].weights = sums[2*i], sums[2*i+1]
		counts = append(counts, int64(r.Queries), int64(r.Empty), int64(r.Single), int64(r.Tied), int64(r.LeftOut), int64(count(r.Weighted)))
	}
	g.Sum(counts)
	for i := range e.tallies {
		r, c := &e.tallies[i].result, counts[6*i:]
		r.Queries, r.Empty, r.Single, r.Tied, r.LeftOut, r.Weighted = int(c[0]), int(c[1]), int(c[2]), int(c[3]), int(c[4]), c[5] > 0
	}
}
