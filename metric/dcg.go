package metric

// dcg is the formula of DCG@k and nDCG@k.
type dcg struct {
	Convention
	k          int
	normalized bool
	discounts  discounts
}

// NDCG returns the metric nDCG@k under the convention c: DCG@k divided by the largest DCG@k that
// any order of the query's documents has. k < 1 means all documents.
func NDCG(c Convention, k int) Metric {
	return &metric{name: "ndcg", convention: c, k: k, needs: needGain, share: true, formula: newDCG(c, k, true)}
}

// DCG returns the metric DCG@k under the convention c: the sum, over the ranks below k, of the gain
// of the document at the rank times the discount of the rank. k < 1 means all documents.
func DCG(c Convention, k int) Metric {
	return &metric{name: "dcg", convention: c, k: k, needs: needGain, formula: newDCG(c, k, false)}
}

func newDCG(c Convention, k int, normalized bool) *dcg {
	return &dcg{c, k, normalized, newDiscounts(c.Discount, k)}
}

func (m *dcg) judge(q *query) verdict {
	best := m.sum(q.ideal())
	switch {
	case best == 0 && m.normalized:
		v := m.Empty.verdict()
		v.bare = m.Weights == EmptyUnweighted
		return v
	case best == 0:
		return m.Empty.worthless()
	case m.normalized && m.Short == ShortZero && len(q.Labels) < m.k:
		return verdict{counts: true}
	}
	r := q.ranking(m.Ties)
	value := m.sum(r)
	if m.normalized {
		value /= best
	}
	return verdict{value: value, counts: true, tied: r.firstTie < ranks(m.k, r)}
}

// sum returns the DCG of a ranking; where documents share ranks, its mean over their orders.
func (m *dcg) sum(r *ranking) float64 {
	total := 0.0
	for b := range r.blocks(ranks(m.k, r)) {
		gain := m.meanGain(b.labels)
		for rank := b.first; rank < b.end; rank++ {
			total += float64(gain * m.discounts.at(rank))
		}
	}
	return total
}

// meanGain returns the mean gain of ascending labels. For equal labels it is their gain and not a
// quotient, so that the sum of a perfect ranking equals that of the ideal one in every bit.
func (m *dcg) meanGain(labels []float64) float64 {
	if labels[0] == labels[len(labels)-1] {
		return m.gain(labels[0])
	}
	sum := 0.0
	for _, label := range labels {
		sum += m.gain(label)
	}
	return sum / float64(len(labels))
}
