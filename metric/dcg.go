package metric

// judgeNDCG judges by DCG@k divided by the largest DCG@k that any order of the query's documents has.
func judgeNDCG(m *metric, q *query) verdict {
	best := m.sum(q.ideal())
	switch {
	case best == 0:
		v := m.empty()
		v.bare = m.rules.Weights == EmptyUnweighted
		return v
	case m.rules.Short == ShortZero && len(q.Labels) < m.k:
		return verdict{counts: true}
	}
	r := q.ranking(m.rules.Ties)
	return verdict{value: m.sum(r) / best, counts: true, tied: r.firstTie < m.depth(r)}
}

// judgeDCG judges by the sum, over the ranks below k, of the gain of the document at the rank times the
// discount of the rank.
func judgeDCG(m *metric, q *query) verdict {
	if m.sum(q.ideal()) == 0 {
		return m.empty()
	}
	r := q.ranking(m.rules.Ties)
	return verdict{value: m.sum(r), counts: true, tied: r.firstTie < m.depth(r)}
}

// judgeMeanNDCG judges by the mean of a query's nDCG@1, nDCG@2, … up to its number of documents: the last
// column of Microsoft's LETOR scripts.
func judgeMeanNDCG(m *metric, q *query) verdict {
	ideal := q.ideal().labels
	if len(ideal) == 0 || m.rules.gain(ideal[0]) == 0 {
		return m.empty()
	}
	r := q.ranking(m.rules.Ties)
	sum, have, best := 0.0, 0.0, 0.0 // have and best are DCG@(rank+1)
	for b := range r.blocks(len(r.labels)) {
		gain := m.meanGain(b.labels)
		for rank := b.first; rank < b.end; rank++ {
			discount := m.discounts.at(rank)
			have += float64(gain * discount)
			best += float64(m.rules.gain(ideal[rank]) * discount)
			sum += have / best
		}
	}
	return verdict{value: sum / float64(max(1, len(r.labels))), counts: true, tied: r.firstTie < len(r.labels)}
}

// sum returns the DCG of a ranking; if documents share ranks, its mean over their orders.
func (m *metric) sum(r *ranking) float64 {
	total := 0.0
	for b := range r.blocks(m.depth(r)) {
		gain := m.meanGain(b.labels)
		for rank := b.first; rank < b.end; rank++ {
			total += float64(gain * m.discounts.at(rank))
		}
	}
	return total
}

// meanGain returns the mean gain of ascending labels. For equal labels it is their gain and not a quotient,
// so a perfect ranking has the same sum as the ideal one, bit for bit.
func (m *metric) meanGain(labels []float64) float64 {
	if labels[0] == labels[len(labels)-1] {
		return m.rules.gain(labels[0])
	}
	sum := 0.0
	for _, label := range labels {
		sum += m.rules.gain(label)
	}
	return sum / float64(len(labels))
}
