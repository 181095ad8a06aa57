package metric

import "strconv"

// DefaultPersistence is the persistence of "rbp" without a number: Moffat and Zobel's value for
// common readers of web search.
const DefaultPersistence = 0.8

// rankBiased is the formula of RBP@k.
type rankBiased struct {
	Convention
	k           int
	persistence float64
}

// RBP returns the metric rank-biased precision: (1 - p) times the sum of p^rank over the ranks
// below k that hold a relevant document, where p in [0, 1) is the reader's persistence (A. Moffat
// and J. Zobel, Rank-biased precision for measurement of retrieval effectiveness, ACM TOIS 27,
// 2008). k < 1 means all documents.
func RBP(c Convention, persistence float64, k int) Metric {
	name := "rbp:" + strconv.FormatFloat(persistence, 'g', -1, 64)
	return &metric{name: name, convention: c, k: k, needs: needOrder, formula: &rankBiased{c, k, persistence}}
}

func (m *rankBiased) judge(q *query) verdict {
	if q.relevant(&m.Convention) == 0 {
		return m.Empty.worthless()
	}
	r := q.ranking(m.Ties)
	sum, reaches := 0.0, 1.0 // reaches: the probability that the reader reaches the rank
	for b := range r.blocks(ranks(m.k, r)) {
		share := m.share(b.labels)
		for range b.end - b.first {
			sum += float64(share * reaches)
			reaches *= m.persistence
		}
	}
	return verdict{value: float64((1 - m.persistence) * sum), counts: true, tied: r.firstTie < ranks(m.k, r)}
}
