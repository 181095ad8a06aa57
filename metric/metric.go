package metric

import (
	"fmt"
	"strconv"
	"strings"
)

// Metric judges the ranking of one query. [NDCG] and [Parse] return the metrics of this package.
//
// A type with these three methods is a metric too: [Evaluate], training and early stopping accept it like
// those of this package. Callers of Query do the following for every metric, so Query need not do it: a score
// that is NaN is an error before Query is called; the mean is weighted as the Weights of the convention say;
// a query counts as empty in reports if none of its labels is above 0. Query applies the rest of the
// convention: the order of documents with equal scores, labels that it cannot judge, and the value of an
// empty query. Query gets neither document ids nor the labels of unranked documents.
type Metric interface {
	// Name returns the metric's name with its cut-off, such as "ndcg@10". It names the metric in
	// results, in logs and where early stopping watches it, so no two metrics that are used
	// together may share one. It has neither commas nor spaces.
	Name() string

	// Convention returns the rules that the metric follows. They accompany every result.
	Convention() Convention

	// Query judges one query. labels and scores have one entry per document, in the order of the input; the
	// highest score has the first rank. Both may be empty and must not be changed or kept. A higher value is
	// better.
	//
	// ok is false if the query does not enter the mean; the value then has no meaning. The value is
	// NaN if a score is NaN or a label cannot be judged; such a value makes the mean NaN.
	//
	// Query may be called by many goroutines at the same time, and returns the same value for the same
	// arguments. The metrics of this package reuse their memory, and so do not allocate for each query.
	Query(labels, scores []float64) (value float64, ok bool)
}

// metric is a metric of this package: an entry of the register with its convention, cut-off and number.
type metric struct {
	*kind
	rules     Convention
	k         int     // cut-off: the number of ranks that count; all if < 1
	number    float64 // of a metric that has one, such as the persistence of rbp
	threshold string  // the smallest grade of a relevant document, if the spec has one
	label     string  // which it judges by; empty: the first
	discounts discounts
}

// NDCG returns the metric nDCG@k under the convention c: DCG@k divided by the largest DCG@k that
// any order of the query's documents has. k < 1 means all documents.
func NDCG(c Convention, k int) Metric { return newMetric(&kinds[0], c, k, 0) }

func newMetric(of *kind, c Convention, k int, number float64) *metric {
	m := &metric{kind: of, rules: c, k: k, number: number}
	if of.needs == needGain {
		m.discounts = discounts{c.Discount, discountTables[c.Discount]()}
	}
	return m
}

// verdict is the result of a metric for a query.
type verdict struct {
	value  float64
	counts bool // the query enters the mean
	empty  bool // the query has no relevant document
	tied   bool // the order of documents with equal scores may change the value
	bare   bool // the value is added to the weighted sum without its weight
}

func (m *metric) Name() string {
	name := m.name
	if m.takes != nil {
		name += ":" + strconv.FormatFloat(m.number, 'g', -1, 64)
	}
	if m.threshold != "" {
		name += relevantFrom + m.threshold + ")"
	}
	return ofLabel(at(name, m.k), m.label)
}

// ofLabel returns the name of a metric of one of several labels.
func ofLabel(name, label string) string {
	if label == "" {
		return name
	}
	return name + "@" + label
}

// LabelOf returns the label that a metric names, as "click" for "ndcg@10@click", or "" for the first.
func LabelOf(m Metric) string {
	switch m := m.(type) {
	case *metric:
		return m.label
	case documentMetric:
		return m.label
	}
	return ""
}

// at returns the name of a metric with its cut-off.
func at(name string, k int) string {
	if k < 1 {
		return name
	}
	return fmt.Sprintf("%s@%d", name, k)
}

func (m *metric) Convention() Convention { return m.rules }

// Rules describes the convention of a metric in words, as far as it matters to the metric.
func Rules(m Metric) string {
	if m, ok := m.(*metric); ok {
		return m.rulesInWords()
	}
	return m.Convention().String()
}

// rulesInWords returns the name of the convention and the rules that matter to m.
func (m *metric) rulesInWords() string {
	c := &m.rules
	var rules []string
	switch {
	case m.needs == needPairs:
		return c.Name + ": queries without pairs left out, equal scores one half"
	case m.needs == needGain:
		rules = append(rules, c.Gain.String()+" gain", c.Discount.text()+" discount")
	case m.threshold != "":
		rules = append(rules, "relevant from "+m.threshold)
	case m.needsThreshold():
		rules = append(rules, fmt.Sprintf("relevant above %v", c.RelevantAbove))
	case m.needs == needStop:
		rules = append(rules, fmt.Sprintf("grades up to %d", c.TopGrade))
	}
	if m.ordinal {
		rules = append(rules, "queries of one grade left out")
	}
	if m.share || c.Empty == EmptyLeftOut {
		rules = append(rules, c.Empty.rule())
	}
	return c.Name + ": " + strings.Join(append(rules, "ties "+c.Ties.text()), ", ")
}

func (m *metric) Query(labels, scores []float64) (value float64, ok bool) {
	return judgeOne(m, labels, scores)
}

// depth returns the number of ranks of r that m considers.
func (m *metric) depth(r *ranking) int {
	if m.k < 1 {
		return len(r.labels)
	}
	return min(m.k, len(r.labels))
}
