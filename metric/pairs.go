package metric

import (
	"cmp"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/internal/reuse"
)

// judgeAUC judges by the area under the ROC curve of each query: the probability that a
// relevant document is above one that is not (Hanley and McNeil, Radiology 143, 1982). A query whose
// documents are all relevant has the value 1. It is the mean over queries, as in CatBoost's QueryAUC
// and XGBoost's auc for ranking, and not LightGBM's auc, which compares documents of all queries.
func judgeAUC(m *metric, q *query, _ float64) verdict { return m.judgePairs(q, false) }

// judgePairAccuracy judges by the share of correctly ordered pairs among the pairs of documents with
// different labels (CatBoost's QueryAUC:type=Ranking). A query without such a pair has the value 1, if it has
// a relevant document.
func judgePairAccuracy(m *metric, q *query, _ float64) verdict { return m.judgePairs(q, true) }

// judgePairAgreement judges by the share of the given pairs that have the better document above, by their
// weights. Equal scores count one half under any convention. Documents that are not ranked are below all
// others. A query without pairs, or whose pairs weigh nothing, is left out.
func judgePairAgreement(m *metric, q *query) verdict {
	right, all, empty := 0.0, 0.0, q.relevant(&m.rules) == 0
	for _, p := range q.Pairs {
		all += p.Weight
		right += float64(p.Weight * (float64(1+cmp.Compare(q.score(p.Better), q.score(p.Worse))) / 2))
	}
	if all == 0 {
		return verdict{empty: empty}
	}
	return verdict{value: right / all, counts: true, empty: empty}
}

// score returns the score of a document; those that are not ranked follow the others.
func (l *List) score(document int) float64 {
	if document >= len(l.Scores) {
		return math.Inf(-1)
	}
	return l.Scores[document]
}

// judgePairs judges by the share of the pairs of documents of different classes that are in the right order,
// with the better one above. Under [Averaged] a pair of equal scores counts one half, which is the mean over
// both orders. If graded, each label is a class of its own; otherwise a document is relevant or not.
func (m *metric) judgePairs(q *query, graded bool) verdict {
	r := q.ranking(m.rules.Ties)
	v := verdict{value: 1, counts: true, tied: r.firstTie < len(r.labels)}
	count := &q.pairs
	count.begin(&m.rules, graded, q)
	for b := range r.blocks(len(r.labels)) {
		count.below(b.labels)
	}
	count.below(q.Unranked)
	if all := count.all(); all > 0 {
		v.value = count.right / all
	}
	return v
}

// pairCount counts pairs from the top of a ranked list to its end. It keeps its memory.
type pairCount struct {
	rules   *Convention
	graded  bool
	classes []float64 // ascending
	seen    []float64 // a Fenwick tree of the documents so far, by class, the best first
	sizes   []float64 // documents so far, by class
	sharing []float64 // documents that share ranks, by class; zero between calls
	right   float64   // pairs in the right order; half of those that share ranks
}

// class returns the class of a document: the higher one should be above.
func (c *pairCount) class(label float64) float64 {
	if c.graded {
		return label
	}
	return c.rules.relevant(label)
}

// begin finds the classes of a query.
func (c *pairCount) begin(rules *Convention, graded bool, q *query) {
	c.rules, c.graded, c.right, c.classes = rules, graded, 0, c.classes[:0]
	for _, label := range q.Labels {
		c.classes = append(c.classes, c.class(label))
	}
	for _, label := range q.Unranked {
		c.classes = append(c.classes, c.class(label))
	}
	slices.Sort(c.classes)
	c.classes = slices.Compact(c.classes)
	n := len(c.classes)
	c.seen, c.sizes = reuse.Zeros(c.seen, n+1), reuse.Zeros(c.sizes, n)
	c.sharing = reuse.Zeros(c.sharing, n)
}

// number returns the number of the class of a label.
func (c *pairCount) number(label float64) int {
	n, _ := slices.BinarySearch(c.classes, c.class(label))
	return n
}

// below adds documents that share ranks and are below all documents added before. A pair with a better
// document above is right. A pair among the new documents counts one half if their classes differ: with n
// documents, n_i of them in class i, these pairs add (n² - Σ n_i²)/4.
func (c *pairCount) below(labels []float64) {
	n, same := float64(len(labels)), 0.0
	for _, label := range labels {
		number := c.number(label)
		for at := len(c.classes) - 1 - number; at > 0; at -= at & -at {
			c.right += c.seen[at]
		}
		same += float64(2*c.sharing[number]) + 1 // the squares of 1, 2, 3, … differ by 1, 3, 5, …
		c.sharing[number]++
	}
	c.right += float64((float64(n*n) - same) / 4)
	for _, label := range labels {
		number := c.number(label)
		c.sharing[number] = 0
		c.sizes[number]++
		for at := len(c.classes) - number; at < len(c.seen); at += at & -at {
			c.seen[at]++
		}
	}
}

// all returns the number of pairs of different classes.
func (c *pairCount) all() float64 {
	n, same := 0.0, 0.0
	for _, size := range c.sizes {
		n += size
		same += float64(size * size)
	}
	return (float64(n*n) - same) / 2
}
