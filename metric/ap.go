package metric

// averagePrecision is the formula of MAP@k.
type averagePrecision struct {
	Convention
	k int
}

// MAP returns the metric average precision: the sum, over the ranks below k that hold a relevant
// document, of the precision down to that rank, divided as [AP] says. k < 1 means all documents.
func MAP(c Convention, k int) Metric {
	return &metric{name: "map", convention: c, k: k, needs: needOrder, share: true, formula: &averagePrecision{c, k}}
}

// judge takes each block by the closed form of McSherry and Najork. If R of the block's n documents
// are relevant and H relevant ones precede the block, then the j-th of its ranks, from 0, holds a
// relevant document with probability R/n; and if it does, H + j·(R-1)/(n-1) others precede that one
// in the mean.
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
