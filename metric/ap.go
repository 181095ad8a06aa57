package metric

// averagePrecision is the formula of MAP@k.
type averagePrecision struct {
	Convention
	k int
}

// MAP is average precision: the sum, over ranks below k that hold a relevant
// document, of the precision down to that rank, divided as c.AP says. k < 1 takes
// all documents.
func MAP(c Convention, k int) Metric {
	return &metric{name: "map", convention: c, k: k, needs: needOrder, share: true, formula: &averagePrecision{c, k}}
}

// judge takes each block by the closed form of McSherry and Najork: if R of its n
// documents are relevant and follow H relevant ones, then at the j-th of its
// ranks, from 0, a relevant document stands with probability R/n; and if one
// does, it follows H + j·(R-1)/(n-1) others in the mean.
func (m *averagePrecision) judge(q *query) verdict {
	relevant := q.relevant(&m.Convention)
	if relevant == 0 {
		return m.Empty.verdict()
	}
	r := q.ranking(m.Ties)
	sum, above := 0.0, 0.0 // above: relevant documents before the block
	for b := range r.blocks(ranks(m.k, r)) {
		n := float64(len(b.labels))
		share := m.share(b.labels)
		more := 0.0 // relevant documents added by each rank of the block that precedes a relevant one
		if n > 1 {
			more = (float64(share*n) - 1) / (n - 1)
		}
		for rank := b.first; rank < b.end && share > 0; rank++ {
			hits := above + float64(float64(rank-b.first)*more) + 1
			sum += float64(share*hits) / float64(rank+1)
		}
		above += float64(share * n)
	}
	of := relevant
	if m.AP == APReachable && m.k > 0 {
		of = min(relevant, float64(m.k))
	}
	return verdict{value: sum / of, counts: true, tied: r.firstTie < ranks(m.k, r)}
}
