package metric

import "github.com/lambdamart/lambdamart/dataset"

// term is the contribution of a query to a mean.
type term struct {
	value  float64 // times its weight
	weight float64
}

// addTerm adds a query to the sums of the mean.
func (t *tally) addTerm(q term) {
	t.sum += q.value
	t.weights += q.weight
}

// joinMeans adds up the terms of all ranks. Means are sums of floats in the order of the queries, so each
// rank adds its terms to the sums of the rank before it.
func joinMeans(part *dataset.Part, tallies []tally) {
	sums := make([]float64, 2*len(tallies))
	part.Group().Chain(sums, func() {
		for i := range tallies {
			t := &tallies[i]
			t.sum, t.weights = sums[2*i], sums[2*i+1]
			for _, q := range t.terms {
				t.addTerm(q)
			}
			sums[2*i], sums[2*i+1] = t.sum, t.weights
		}
	})
	for i := range tallies {
		tallies[i].sum, tallies[i].weights = sums[2*i], sums[2*i+1]
	}
}

// joinCounts adds up the counts of all ranks.
func joinCounts(part *dataset.Part, tallies []tally) {
	var counts []int64
	for i := range tallies {
		r := &tallies[i].result
		counts = append(counts, int64(r.Queries), int64(r.Empty), int64(r.Single), int64(r.Tied), int64(r.LeftOut),
			int64(count(r.Weighted)), int64(count(r.bare)))
	}
	part.Group().Sum(counts)
	for i := range tallies {
		r, c := &tallies[i].result, counts[7*i:]
		r.Queries, r.Empty, r.Single, r.Tied, r.LeftOut = int(c[0]), int(c[1]), int(c[2]), int(c[3]), int(c[4])
		r.Weighted, r.bare = c[5] > 0, c[6] > 0
	}
}
