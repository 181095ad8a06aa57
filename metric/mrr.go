package metric

// reciprocalRank is the formula of MRR@k.
type reciprocalRank struct {
	Convention
	k int
}

// MRR returns the metric reciprocal rank: 1/(rank+1) of the first relevant document, 0 if its rank
// is not below k. k < 1 means all documents.
func MRR(c Convention, k int) Metric {
	return &metric{name: "mrr", convention: c, k: k, needs: needOrder, formula: &reciprocalRank{c, k}}
}

func (m *reciprocalRank) judge(q *query) verdict {
	if q.relevant(&m.Convention) == 0 {
		return m.Empty.worthless()
	}
	r := q.ranking(m.Ties)
	v := verdict{counts: true, tied: r.firstTie < ranks(m.k, r)}
	for b := range r.blocks(ranks(m.k, r)) {
		if share := m.share(b.labels); share > 0 {
			v.value = firstOf(b, share)
			v.tied = r.firstTie < b.end
			break
		}
	}
	return v
}

// firstOf returns the mean of 1/(rank+1) of the first relevant document of a block, over all orders
// of the block's documents; share is the share of relevant ones. If R of n are relevant, the first
// document is relevant with probability R/n; if the first j are not, the next one is with
// probability R/(n-j).
func firstOf(b block, share float64) float64 {
	n := float64(len(b.labels))
	relevant := float64(share * n)
	sum, none := 0.0, 1.0 // none: probability that none was relevant so far
	for rank := b.first; rank < b.end && none > 0; rank++ {
		left := n - float64(rank-b.first)
		sum += float64(none*relevant) / left / float64(rank+1)
		none = float64(none*max(0, left-relevant)) / left
	}
	return sum
}
