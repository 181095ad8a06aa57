package metric

// meanNDCG is the formula of MeanNDCG.
type meanNDCG struct{ dcg }

// MeanNDCG returns the metric that is the mean of a query's nDCG@1, nDCG@2, … up to its number of
// documents: the last column of Microsoft's LETOR scripts.
func MeanNDCG(c Convention) Metric {
	return &metric{name: "meanndcg", convention: c, needs: needGain, share: true, formula: &meanNDCG{*newDCG(c, 0, true)}}
}

func (m *meanNDCG) judge(q *query) verdict {
	ideal := q.ideal().labels
	if len(ideal) == 0 || m.gain(ideal[0]) == 0 {
		return m.Empty.verdict()
	}
	r := q.ranking(m.Ties)
	sum, have, best := 0.0, 0.0, 0.0 // have and best are DCG@(rank+1)
	for b := range r.blocks(len(r.labels)) {
		gain := m.meanGain(b.labels)
		for rank := b.first; rank < b.end; rank++ {
			discount := m.discounts.at(rank)
			have += float64(gain * discount)
			best += float64(m.gain(ideal[rank]) * discount)
			sum += have / best
		}
	}
	return verdict{value: sum / float64(max(1, len(r.labels))), counts: true, tied: r.firstTie < len(r.labels)}
}
