package metric

import (
	"fmt"
	"math"
)

// Convention states everything in which tools differ when they compute a metric of the same name. To make a
// new one, start from a preset, such as [Default], change fields, and set a new Name, which reports show.
// Equal conventions give equal values.
type Convention struct {
	Name     string   // of the preset
	Gain     Gain     // for ndcg, dcg
	Discount Discount // for ndcg, dcg
	Empty    Empty
	Ties     Ties
	Weights  Weights
	Short    Short

	NegativeWorthless bool // the gain of a negative label is 0; otherwise such a label is an error

	// RelevantAbove is for metrics that ask which documents are relevant, such as map: those whose label is
	// greater.
	RelevantAbove float64
	APReachable   bool // map@k is divided by the number of relevant documents or k, whichever is smaller

	// TopGrade is for err: the largest label that it accepts. A document of that label ends the
	// search with probability (2^TopGrade - 1) / 2^TopGrade.
	TopGrade int
}

// Empty is the value of a query without a relevant document in the metrics whose formula is 0/0 for it: ndcg,
// meanndcg, map and recall. The value of such a query is 0 in other metrics. EmptyLeftOut holds for all
// metrics.
type Empty uint8

const (
	EmptyOne     Empty = iota // 1: nothing could be ranked better
	EmptyZero                 // 0
	EmptyHalf                 // 1/2
	EmptyLeftOut              // the query does not enter the mean
)

// text returns the value, or "left out".
func (e Empty) text() string {
	return [...]string{EmptyOne: "1", EmptyZero: "0", EmptyHalf: "0.5", EmptyLeftOut: "left out"}[e]
}

// rule returns a phrase for reports.
func (e Empty) rule() string {
	if e == EmptyLeftOut {
		return "empty queries left out"
	}
	return "empty query = " + e.text()
}

// verdict returns the verdict on an empty query if the metric's formula is 0/0 for it.
func (e Empty) verdict() verdict {
	value := [...]float64{EmptyOne: 1, EmptyZero: 0, EmptyHalf: 0.5, EmptyLeftOut: 0}[e]
	return verdict{value: value, counts: e != EmptyLeftOut, empty: true}
}

// empty returns the verdict on an empty query.
func (m *metric) empty() verdict {
	v := m.rules.Empty.verdict()
	if !m.share {
		v.value = 0
	}
	return v
}

// Ties is how documents with equal scores are ranked.
type Ties uint8

const (
	Averaged    Ties = iota // the mean over all their orders
	FileOrder               // in the order of the input: a stable sort
	Pessimistic             // the lowest label first
	// by document id, the largest first in the order of bytes; in file order for Metric.Query, which has no ids
	ByDocument
)

// text returns "averaged", "in file order", "pessimistic" or "by document id".
func (t Ties) text() string {
	return [...]string{Averaged: "averaged", FileOrder: "in file order", Pessimistic: "pessimistic",
		ByDocument: "by document id"}[t]
}

// Weights is how queries are weighted in the mean. The weight of a query is the mean weight of its rows, or 1
// if rows have no weights.
type Weights uint8

const (
	Weighted Weights = iota // sum(weight · value) / sum(weight)
	// the same, but the value of an empty query is not multiplied by its weight in the upper sum: LightGBM's
	// and XGBoost's rule for ndcg, and for ndcg only
	EmptyUnweighted
	WeightsNeglected // every query has the weight 1
)

// Short is the meaning of a cut-off for a query with fewer documents. It makes a difference to ndcg
// and p only.
type Short uint8

const (
	ShortFilled Short = iota // each missing document counts as one that is not relevant: p@k is divided by k
	ShortCut                 // the cut-off is the number of documents: p@k is divided by it
	// as ShortFilled, but nDCG@k is 0: the rule of Microsoft's scripts, which print no value beyond a query's
	// last document
	ShortZero
)

// String returns the name and what matters to nDCG, for example "lightgbm: exp2 gain, log2
// discount, empty query = 1, ties in file order".
func (c Convention) String() string {
	return fmt.Sprintf("%s: %v gain, %s discount, %s, ties %s",
		c.Name, c.Gain, c.Discount.text(), c.Empty.rule(), c.Ties.text())
}

// labelError is the error for a label that a metric cannot judge.
type labelError struct {
	Row        int     // index in the labels that were checked or, if InData, in the whole data
	InData     bool    // the message names the row: one of a list says nothing to who has the data
	Query      string  // id, if known
	Name       string  // of the labels, if a metric names them
	Label      float64 // as read
	Convention string  // name
	Reason     error   // why the label cannot be judged, and what to do
}

func (e *labelError) Error() string {
	var where string
	if e.InData {
		where = fmt.Sprintf(" in row %d", e.Row)
	}
	if e.Query != "" {
		where += " of query " + e.Query
	}
	return fmt.Sprintf("label %v%s, %v", e.Label, where, e.reason())
}

// reason names the convention.
func (e *labelError) reason() error {
	return fmt.Errorf("by the convention %s: %w", e.Convention, e.Reason)
}

func (e *labelError) Unwrap() error { return e.Reason }

// need is the property of labels that a metric requires.
type need uint8

const (
	needGain  need = iota // a gain
	needOrder             // a place above or below RelevantAbove: any finite number
	needStop              // a probability that the search ends, up to TopGrade
	needPairs             // given pairs; labels do not matter
)

// check returns the error for the first label that does not meet the need, nil if there is none.
func (c *Convention) check(labels []float64, n need) *labelError {
	if n == needPairs {
		return nil
	}
	plain := c.plainLimit(n)
	for row, label := range labels {
		if label >= 0 && label <= plain {
			continue
		}
		if err := c.checkLabel(label, n); err != nil {
			return &labelError{Row: row, Label: label, Convention: c.Name, Reason: err}
		}
	}
	return nil
}

// plainLimit returns a number such that every label from 0 to that number, integer or not, passes the check;
// -1 if there is none. It makes the check of common labels fast.
func (c *Convention) plainLimit(n need) float64 {
	switch {
	case n == needStop:
		return float64(c.TopGrade)
	case n == needOrder || c.Gain.kind == linearGain:
		return math.MaxFloat64
	case c.Gain.kind == exp2Gain:
		return MaxExp2Label
	}
	return -1
}

func (c *Convention) checkLabel(label float64, n need) error {
	switch {
	case label < 0 && label >= -math.MaxFloat64 && c.NegativeWorthless:
		return nil
	case n == needGain:
		return c.Gain.Check(label)
	case n == needStop && label > float64(c.TopGrade) && label <= math.MaxFloat64:
		return fmt.Errorf("err is for labels up to %d; divide them, or judge by another metric", c.TopGrade)
	}
	return checkFinite(label)
}

// gain returns the gain of a label that passed the check; a negative label has the gain 0.
func (c *Convention) gain(label float64) float64 {
	if label < 0 {
		return 0
	}
	return c.Gain.Of(label)
}

// relevant returns 1 for the label of a relevant document, else 0.
func (c *Convention) relevant(label float64) float64 {
	if label > c.RelevantAbove {
		return 1
	}
	return 0
}
