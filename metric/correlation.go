package metric

import "math"

// judgeKendall judges by Kendall's tau-b (M. G. Kendall, The treatment of ties in ranking problems,
// Biometrika 33, 1945): the pairs in the right order less those in the wrong one, divided by the root of the
// number of pairs with different grades times the number of pairs with different scores.
func judgeKendall(m *metric, q *query) verdict {
	return m.correlate(q, func(r *ranking, pairs *pairCount) float64 {
		// less n² of each n equal scores: twice the pairs
		different := square(float64(len(q.Labels) + len(q.Unranked)))
		for b := range r.blocks(len(r.labels)) {
			different -= square(float64(len(b.labels)))
		}
		different = (different - square(float64(len(q.Unranked)))) / 2
		graded := pairs.all()
		return (float64(2*pairs.right) - graded) / math.Sqrt(float64(graded*different))
	})
}

// judgeSpearman judges by Spearman's rho: Pearson's correlation of the ranks of grades and of scores, where
// equal ones share the mean of their ranks (C. Spearman, The proof and measurement of association between two
// things, American Journal of Psychology 15, 1904).
func judgeSpearman(m *metric, q *query) verdict {
	return m.correlate(q, func(r *ranking, pairs *pairCount) float64 {
		grades := pairs.ranks()
		n := float64(len(q.Labels) + len(q.Unranked))
		mean := (n - 1) / 2
		product, ofGrades, ofScores := 0.0, 0.0, 0.0
		add := func(labels []float64, rank float64) {
			for _, label := range labels {
				grade := grades[pairs.number(label)] - mean
				product += float64(grade * (rank - mean))
				ofGrades += float64(grade * grade)
				ofScores += float64((rank - mean) * (rank - mean))
			}
		}
		first := 0
		for b := range r.blocks(len(r.labels)) {
			add(b.labels, float64(first)+float64(len(b.labels)-1)/2)
			first += len(b.labels)
		}
		add(q.Unranked, float64(first)+float64(len(q.Unranked)-1)/2)
		return product / math.Sqrt(float64(ofGrades*ofScores))
	})
}

// correlate judges by a correlation of grades and scores. A query without two grades is left out, and equal
// scores have the correlation 0. Documents that are not ranked share the last rank.
func (m *metric) correlate(q *query, of func(r *ranking, pairs *pairCount) float64) verdict {
	r, pairs := q.ranking(m.rules.Ties), &q.pairs
	pairs.begin(&m.rules, true, q)
	blocks := 0
	for b := range r.blocks(len(r.labels)) {
		pairs.below(b.labels)
		blocks++
	}
	if len(q.Unranked) > 0 {
		pairs.below(q.Unranked)
		blocks++
	}
	v := verdict{counts: true, tied: r.firstTie < len(r.labels)}
	v.empty = q.relevant(&m.rules) == 0
	switch {
	case len(pairs.classes) < 2 || v.empty && m.rules.Empty == EmptyLeftOut:
		v.counts = false
	case blocks > 1:
		v.value = of(r, pairs)
	}
	return v
}

// ranks returns the mean rank of the documents of each class, the best one first.
func (c *pairCount) ranks() []float64 {
	ranks, above := c.seen[:len(c.sizes)], 0.0 // the tree is not used any more
	for number := len(c.sizes) - 1; number >= 0; number-- {
		ranks[number] = above + (c.sizes[number]-1)/2
		above += c.sizes[number]
	}
	return ranks
}

func square(x float64) float64 { return float64(x * x) }
