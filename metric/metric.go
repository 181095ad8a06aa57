package metric

import (
	"fmt"
	"strings"
)

// Metric judges the ranking of one query.
//
// Implementations outside this package need these three methods and nothing
// else; [Evaluate] takes them.
type Metric interface {
	// Name is the metric's name with its cut-off, such as "ndcg@10".
	Name() string

	// Convention is the one that the metric follows.
	Convention() Convention

	// Query judges one query. labels and scores have one entry a document, in
	// the order of the input; both are only read. ok is false where the
	// convention leaves the query out of the mean. The value is NaN where a
	// score is NaN or a label cannot be judged.
	//
	// Query may be called by many goroutines at once and does not allocate in
	// the long run.
	Query(labels, scores []float64) (value float64, ok bool)
}

// metric is a metric of this package.
type metric struct {
	name       string // without cut-off
	convention Convention
	k          int // number of ranks that it looks at; all if < 1
	needs      need
	share      bool // of what could be had, so that an empty query is 0/0
	formula
}

// formula gives a metric its values. Those that are computed in parallel share
// it, so it does not change.
type formula interface {
	judge(q *query) verdict
}

// verdict is what a metric says of a query.
type verdict struct {
	value  float64
	counts bool // enters the mean
	empty  bool // has no relevant document
	tied   bool // the order of equal scores changes the value, or may
	bare   bool // enters the sum of values without its weight
}

func (m *metric) Name() string { return at(m.name, m.k) }

// at is the name of a metric with its cut-off.
func at(name string, k int) string {
	if k < 1 {
		return name
	}
	return fmt.Sprintf("%s@%d", name, k)
}

func (m *metric) Convention() Convention { return m.convention }

// rules names the convention and spells out what matters to m.
func (m *metric) rules() string {
	c := &m.convention
	var rules []string
	switch m.needs {
	case needGain:
		rules = append(rules, c.Gain.String()+" gain", c.Discount.String()+" discount")
	case needOrder:
		rules = append(rules, fmt.Sprintf("relevant above %v", c.RelevantAbove))
	case needStop:
		rules = append(rules, fmt.Sprintf("grades up to %d", c.TopGrade))
	}
	if m.share || c.Empty == EmptyLeftOut {
		rules = append(rules, c.Empty.rule())
	}
	return c.Name + ": " + strings.Join(append(rules, "ties "+c.Ties.String()), ", ")
}

func (m *metric) Query(labels, scores []float64) (value float64, ok bool) {
	return judgeOne(m, labels, scores)
}
