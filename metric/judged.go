package metric

// The worth of a document for metrics that tell judged documents from others.
const (
	worthUnknown = iota // not judged
	worthIgnored        // a negative grade, where those are no judgment: trec_eval
	worthNothing
	worthRelevant
)

// worth returns the worth of a document.
func (c *Convention) worth(label float64, judged bool) float64 {
	switch {
	case !judged:
		return worthUnknown
	case c.NegativeWorthless && label < 0:
		return worthIgnored
	case c.relevant(label) > 0:
		return worthRelevant
	}
	return worthNothing
}

// worths returns the documents ranked by score, with their worth for labels. It is valid until the next call.
func (q *query) worths(c *Convention) *ranking {
	q.worthOf = q.worthOf[:0]
	for document, label := range q.Labels {
		q.worthOf = append(q.worthOf, c.worth(label, q.Judged == nil || q.Judged[document]))
	}
	q.rank(&q.byWorth, c.Ties, q.worthOf)
	return &q.byWorth
}

// judgeJudged judges by the share of judged documents at the ranks below k, of which there are at most as
// many as documents (ir-measures' Judged).
func judgeJudged(m *metric, q *query) verdict {
	r := q.worths(&m.rules)
	depth, judged := m.depth(r), 0.0
	for b := range r.blocks(depth) {
		n := 0.0
		for _, worth := range b.labels {
			n += min(worth, 1)
		}
		judged += float64(n*float64(b.end-b.first)) / float64(len(b.labels))
	}
	v := verdict{counts: true, tied: r.firstTie < depth}
	if q.relevant(&m.rules) == 0 {
		v = m.empty()
	}
	v.value = judged / float64(max(1, depth))
	return v
}

// judgeBpref judges by bpref: the mean over all relevant documents of 1 - min(above, R)/min(N, R), where
// above is the number of judged documents that are not relevant and above it, of N in the query, and R is the
// number of relevant ones; 0 for one that is not ranked (C. Buckley and E. Voorhees, Retrieval evaluation
// with incomplete information, SIGIR 2004, with the bound min(N, R) of trec_eval).
//
// In a block with J judged documents that are not relevant, 0, 1, … J of them are above a relevant one with
// the same probability.
func judgeBpref(m *metric, q *query, relevant float64) verdict {
	r := q.worths(&m.rules)
	bound := min(relevant, q.judgedWorthless(&m.rules))
	sum, above := 0.0, 0
	for b := range r.blocks(len(r.labels)) {
		var counts [worthRelevant + 1]int
		for _, worth := range b.labels {
			counts[int(worth)]++
		}
		if bound == 0 {
			sum += float64(counts[worthRelevant])
			continue
		}
		lost, among := 0.0, counts[worthNothing]
		for before := range among + 1 {
			lost += min(float64(above+before), relevant) / bound
		}
		sum += float64(float64(counts[worthRelevant]) * (1 - lost/float64(among+1)))
		above += among
	}
	return verdict{value: sum / relevant, counts: true, tied: r.firstTie < len(r.labels)}
}

// judgedWorthless returns the number of judged documents that are not relevant, ranked or not. worths has
// been called.
func (q *query) judgedWorthless(c *Convention) float64 {
	n := 0.0
	for _, worth := range q.worthOf {
		if worth == worthNothing {
			n++
		}
	}
	for _, label := range q.Unranked {
		if c.worth(label, true) == worthNothing {
			n++
		}
	}
	return n
}
