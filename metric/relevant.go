package metric

import "math"

// ofRelevant returns the function that judges queries by judge if they have a relevant document, whose number
// it passes, and otherwise as the convention says.
func ofRelevant(judge func(m *metric, q *query, relevant float64) verdict) func(*metric, *query) verdict {
	return func(m *metric, q *query) verdict {
		if relevant := q.relevant(&m.rules); relevant > 0 {
			return judge(m, q, relevant)
		}
		return m.empty()
	}
}

// judgePrecision judges by the share of relevant documents at the ranks below k. [Short] is the rule for
// queries with fewer documents.
func judgePrecision(m *metric, q *query, _ float64) verdict {
	r := q.ranking(m.rules.Ties)
	of := float64(m.k)
	if m.k < 1 || m.rules.Short == ShortCut {
		of = float64(max(1, m.depth(r)))
	}
	return m.hits(r, of)
}

// judgeRecall judges by the share of the query's relevant documents whose rank is below k.
func judgeRecall(m *metric, q *query, relevant float64) verdict {
	return m.hits(q.ranking(m.rules.Ties), relevant)
}

// hits returns the number of relevant documents at the ranks below k, divided by a number.
func (m *metric) hits(r *ranking, of float64) verdict {
	hits, depth := 0.0, m.depth(r)
	for b := range r.blocks(depth) {
		hits += float64(m.rules.share(b.labels) * float64(b.end-b.first))
	}
	return verdict{value: hits / of, counts: true, tied: r.firstTie < depth}
}

// judgeSuccess judges by whether a rank below k holds a relevant document. If R of the n documents of a block
// are relevant, m of its ranks hold none with probability (n-R)/n · (n-R-1)/(n-1) · … of m factors.
func judgeSuccess(m *metric, q *query, _ float64) verdict {
	r := q.ranking(m.rules.Ties)
	depth := m.depth(r)
	for b := range r.blocks(depth) {
		share := m.rules.share(b.labels)
		if share == 0 {
			continue
		}
		n := float64(len(b.labels))
		relevant, none := math.Round(float64(share*n)), 1.0
		for at := range b.end - b.first {
			left := n - float64(at)
			none = float64(none*max(0, left-relevant)) / left
		}
		return verdict{value: 1 - none, counts: true, tied: r.firstTie < b.end}
	}
	return verdict{counts: true, tied: r.firstTie < depth}
}

// judgeRPrecision judges by the share of relevant documents at the first R ranks, for a query with R relevant
// documents (trec_eval's Rprec).
func judgeRPrecision(m *metric, q *query, relevant float64) verdict {
	atR := *m
	atR.k = int(relevant)
	return atR.hits(q.ranking(m.rules.Ties), relevant)
}

// share returns the share of relevant documents among at least one label.
func (c *Convention) share(labels []float64) float64 {
	n := 0.0
	for _, label := range labels {
		n += c.relevant(label)
	}
	return n / float64(len(labels))
}

// judgeMAP judges by average precision: the sum, over the ranks below k that hold a relevant document, of
// the precision down to that rank, divided by the number of relevant documents, or as APReachable says.
//
// It computes each block by the closed form of McSherry and Najork. If R of the block's n documents are
// relevant and H relevant ones precede the block, then the j-th of its ranks, from 0, holds a relevant
// document with probability R/n; if it does, H + j·(R-1)/(n-1) other relevant documents precede it in the
// mean.
func judgeMAP(m *metric, q *query, relevant float64) verdict {
	r := q.ranking(m.rules.Ties)
	depth := m.depth(r)
	sum, above := 0.0, 0.0 // above: number of relevant documents before the block
	for b := range r.blocks(depth) {
		n := float64(len(b.labels))
		share := m.rules.share(b.labels)
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
	if m.rules.APReachable && m.k > 0 {
		of = min(relevant, float64(m.k))
	}
	return verdict{value: sum / of, counts: true, tied: r.firstTie < depth}
}

// judgeMRR judges by the reciprocal rank: 1/(rank+1) of the first relevant document, 0 if its rank is not
// below k.
func judgeMRR(m *metric, q *query, _ float64) verdict {
	r := q.ranking(m.rules.Ties)
	depth := m.depth(r)
	for b := range r.blocks(depth) {
		if share := m.rules.share(b.labels); share > 0 {
			return verdict{value: firstOf(b, share), counts: true, tied: r.firstTie < b.end}
		}
	}
	return verdict{counts: true, tied: r.firstTie < depth}
}

// firstOf returns the mean of 1/(rank+1) of the first relevant document of a block, over all orders of the
// block's documents; share is the share of relevant documents. If R of n are relevant, the first document is
// relevant with probability R/n; if the first j are not, the next one is with probability R/(n-j).
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

// judgeRBP judges by rank-biased precision: (1 - p) times the sum of p^rank over the ranks below k that
// hold a relevant document, where the metric's number p in [0, 1) is the reader's persistence (A. Moffat
// and J. Zobel, Rank-biased precision for measurement of retrieval effectiveness, ACM TOIS 27, 2008).
func judgeRBP(m *metric, q *query, _ float64) verdict {
	r := q.ranking(m.rules.Ties)
	depth := m.depth(r)
	sum, reaches := 0.0, 1.0 // reaches: the probability that the reader reaches the rank
	for b := range r.blocks(depth) {
		share := m.rules.share(b.labels)
		for range b.end - b.first {
			sum += float64(share * reaches)
			reaches *= m.number
		}
	}
	return verdict{value: float64((1 - m.number) * sum), counts: true, tied: r.firstTie < depth}
}
