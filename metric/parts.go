package metric

import "github.com/lambdamart/lambdamart/dataset"

// term is what a query adds to a mean.
type term struct {
	value  float64 // times its weight
	weight float64
}

// addTerm adds a query to the sums of the mean.
func (t *tally) addTerm(q term) {
	t.sum += q.value
	t.weights += q.weight
}

// Share has e judge the lists of a part of the data, or of all of it if p is nil: those of rank 0 come first. It is called before Add, and
// [Evaluator.Join] after the last Add.
func (e *Evaluator) Share(p *dataset.Part) {
	if e.part = p; p.Group().Size() == 1 {
		return
	}
	for i := range e.tallies {
		e.tallies[i].terms = []term{}
	}
}

// Join makes the results those of the lists of all ranks, with the same bits as if one process had judged
// them, except for Result.PerQuery and Result.Weights, which have those of this rank's lists. It is a
// collective.
func (e *Evaluator) Join() {
	if e.part.Group().Size() == 1 {
		return
	}
	e.joinMeans()
	var counts []int64
	for i := range e.tallies {
		r := &e.tallies[i].result
		counts = append(counts, int64(r.Queries), int64(r.Empty), int64(r.Single), int64(r.Tied), int64(r.LeftOut),
			int64(count(r.Weighted)), int64(count(r.bare)))
	}
	e.part.Group().Sum(counts)
	for i := range e.tallies {
		r, c := &e.tallies[i].result, counts[7*i:]
		r.Queries, r.Empty, r.Single, r.Tied, r.LeftOut = int(c[0]), int(c[1]), int(c[2]), int(c[3]), int(c[4])
		r.Weighted, r.bare = c[5] > 0, c[6] > 0
	}
}

// joinMeans adds up the terms of all ranks. Means are sums of floats in the order of the queries, so that the
// sums go from rank to rank.
func (e *Evaluator) joinMeans() {
	sums := make([]float64, 2*len(e.tallies))
	e.part.Group().Chain(sums, func() {
		for i := range e.tallies {
			t := &e.tallies[i]
			t.sum, t.weights = sums[2*i], sums[2*i+1]
			for _, q := range t.terms {
				t.addTerm(q)
			}
			sums[2*i], sums[2*i+1] = t.sum, t.weights
		}
	})
	for i := range e.tallies {
		e.tallies[i].sum, e.tallies[i].weights = sums[2*i], sums[2*i+1]
	}
}
