package metric

import "fmt"

// dcg is DCG@k and nDCG@k.
type dcg struct {
	convention Convention
	k          int // all ranks if < 1
	normalized bool
	discounts  discounts
}

// NDCG is nDCG@k under the convention c; k < 1 takes all documents.
func NDCG(c Convention, k int) Metric { return newDCG(c, k, true) }

// DCG is DCG@k under the convention c; k < 1 takes all documents. An empty query
// has DCG 0, or is left out if c.Empty says so.
func DCG(c Convention, k int) Metric { return newDCG(c, k, false) }

func newDCG(c Convention, k int, normalized bool) *dcg {
	return &dcg{c, k, normalized, newDiscounts(c.Discount, k)}
}

func (m *dcg) Name() string {
	if m.normalized {
		return at("ndcg", m.k)
	}
	return at("dcg", m.k)
}

// at is the name of a metric with its cut-off.
func at(name string, k int) string {
	if k < 1 {
		return name
	}
	return fmt.Sprintf("%s@%d", name, k)
}

func (m *dcg) Convention() Convention { return m.convention }

func (m *dcg) cutoff() int { return m.k }

func (m *dcg) Query(labels, scores []float64) (value float64, ok bool) {
	return judgeOne(m, labels, scores)
}

func (m *dcg) judge(q *query) verdict {
	best := m.sum(q.ideal())
	if best == 0 {
		return m.judgeEmpty()
	}
	r := q.ranking(m.convention.Ties)
	value := m.sum(r)
	if m.normalized {
		value /= best
	}
	return verdict{value: value, counts: true, tied: r.firstTie < ranks(m.k, r)}
}

func (m *dcg) judgeEmpty() verdict {
	value, counts := m.convention.Empty.value()
	if !m.normalized {
		value = 0
	}
	return verdict{value: value, counts: counts, empty: true}
}

// ranks is the number of ranks of r that a metric with cut-off k looks at.
func ranks(k int, r *ranking) int {
	if k < 1 {
		return len(r.labels)
	}
	return min(k, len(r.labels))
}

// sum is the DCG of a ranking, its mean where documents share ranks.
func (m *dcg) sum(r *ranking) float64 {
	depth := ranks(m.k, r)
	if len(r.ends) == 0 {
		return m.sumOrdered(r.labels[:depth])
	}
	total, first := 0.0, 0
	for _, end := range r.ends {
		gain := m.meanGain(r.labels[first:end])
		for rank := first; rank < min(end, depth); rank++ {
			total += float64(gain * m.discounts.at(rank))
		}
		if first = end; first >= depth {
			break
		}
	}
	return total
}

// sumOrdered is the DCG of labels by rank.
func (m *dcg) sumOrdered(labels []float64) float64 {
	total := 0.0
	for rank, label := range labels {
		total += float64(m.convention.gain(label) * m.discounts.at(rank))
	}
	return total
}

// meanGain is the mean gain of labels that descend. That of equal labels is
// their gain, so that a perfect ranking has its ideal's sum in every bit.
func (m *dcg) meanGain(labels []float64) float64 {
	if labels[0] == labels[len(labels)-1] {
		return m.convention.gain(labels[0])
	}
	sum := 0.0
	for _, label := range labels {
		sum += m.convention.gain(label)
	}
	return sum / float64(len(labels))
}
