package metric

// precision is the formula of precision and recall at k.
type precision struct {
	Convention
	k      int
	recall bool
}

// Precision returns the metric that is the share of relevant documents at the ranks below k;
// [Short] says what that means for a query with fewer documents. k < 1 means all documents.
func Precision(c Convention, k int) Metric {
	return &metric{name: "p", convention: c, k: k, needs: needOrder, formula: &precision{c, k, false}}
}

// Recall returns the metric that is the share of the query's relevant documents whose rank is below
// k. k < 1 means all documents.
func Recall(c Convention, k int) Metric {
	return &metric{name: "recall", convention: c, k: k, needs: needOrder, share: true, formula: &precision{c, k, true}}
}

func (m *precision) judge(q *query) verdict {
	relevant := q.relevant(&m.Convention)
	switch {
	case relevant == 0 && m.recall:
		return m.Empty.verdict()
	case relevant == 0:
		return m.Empty.worthless()
	}
	r := q.ranking(m.Ties)
	hits := 0.0
	for b := range r.blocks(ranks(m.k, r)) {
		hits += float64(m.share(b.labels) * float64(b.end-b.first))
	}
	of := relevant
	if !m.recall {
		of = float64(m.k)
		if m.k < 1 || m.Short == ShortCut {
			of = float64(max(1, ranks(m.k, r)))
		}
	}
	return verdict{value: hits / of, counts: true, tied: r.firstTie < ranks(m.k, r)}
}

// share returns the share of relevant documents among the labels, of which there is at least one.
func (c *Convention) share(labels []float64) float64 {
	n := 0.0
	for _, label := range labels {
		n += c.relevant(label)
	}
	return n / float64(len(labels))
}
