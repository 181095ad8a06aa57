package metric

import (
	"fmt"
	"math"
)

// Convention is all that tools differ in when they compute a metric of one name.
// Conventions that are equal judge alike.
type Convention struct {
	Name     string   // of a preset; WithTies and its like say what they changed
	Gain     Gain     // for ndcg, dcg
	Discount Discount // for ndcg, dcg
	Empty    Empty
	Ties     Ties
	Weights  Weights
	Negative Negative
	Short    Short

	// A document is relevant if its label is above RelevantAbove: for map, mrr,
	// p, recall and rbp.
	RelevantAbove float64
	AP            AP

	// TopGrade is the largest label that err can take; a document of that label
	// ends the search with probability (2^TopGrade - 1) / 2^TopGrade.
	TopGrade int
}

// Empty is what a query without a relevant document counts, where the formula
// is 0/0: in ndcg, map and recall. In other metrics such a query is worth 0. If
// it is left out, it is left out of all.
type Empty uint8

const (
	EmptyOne     Empty = iota // 1: nothing could be ranked better
	EmptyZero                 // 0
	EmptyHalf                 // 1/2
	EmptyLeftOut              // the query does not enter the mean
)

// String is the value, or "left out".
func (e Empty) String() string {
	return [...]string{EmptyOne: "1", EmptyZero: "0", EmptyHalf: "0.5", EmptyLeftOut: "left out"}[e]
}

// rule is a phrase for it.
func (e Empty) rule() string {
	if e == EmptyLeftOut {
		return "empty queries left out"
	}
	return "empty query = " + e.String()
}

// verdict is that on an empty query, for a formula that is 0/0 there.
func (e Empty) verdict() verdict {
	value := [...]float64{EmptyOne: 1, EmptyZero: 0, EmptyHalf: 0.5, EmptyLeftOut: 0}[e]
	return verdict{value: value, counts: e != EmptyLeftOut, empty: true}
}

// worthless is the verdict on an empty query, for a formula that is 0 there.
func (e Empty) worthless() verdict {
	return verdict{counts: e != EmptyLeftOut, empty: true}
}

// Ties is how documents with equal scores are ranked.
type Ties uint8

const (
	Averaged    Ties = iota // the mean over all their orders
	FileOrder               // as they come in the input: a stable sort
	Pessimistic             // the lowest label first
	ByDocument              // by document id, the largest first, as strings of bytes; as they come where ids are not at hand
)

// String is "averaged", "in file order", "pessimistic" or "by document id".
func (t Ties) String() string {
	return [...]string{Averaged: "averaged", FileOrder: "in file order", Pessimistic: "pessimistic", ByDocument: "by document id"}[t]
}

// Weights is how a query weighs in the mean. The weight of a query is the mean
// weight of its rows, and 1 where rows have no weights.
type Weights uint8

const (
	Weighted         Weights = iota // sum(weight · value) / sum(weight)
	EmptyUnweighted                 // the same, but an empty query adds its bare value to the upper sum: LightGBM's and XGBoost's rule for ndcg, and for ndcg only
	WeightsNeglected                // all queries weigh 1
)

// Negative is what a negative label means.
type Negative uint8

const (
	NegativeRefused   Negative = iota // it is an error
	NegativeWorthless                 // its gain is 0
)

// Short is what a cut-off means where a query has fewer documents. It makes no
// difference to metrics other than ndcg and p.
type Short uint8

const (
	ShortFilled Short = iota // ranks without a document hold one that is not relevant: p@k is divided by k
	ShortCut                 // the cut-off is the number of documents: p@k is divided by it
	ShortZero                // as ShortFilled, but nDCG@k is 0: the rule of Microsoft's scripts, whose table of a query ends with its last document
)

// AP is how average precision treats a cut-off.
type AP uint8

const (
	APRelevant  AP = iota // divides by the number of relevant documents
	APReachable           // divides by that number or the cut-off, whichever is smaller
)

// WithTies returns c with another rule for ties, and a name that says so.
func (c Convention) WithTies(t Ties) Convention {
	if c.Ties != t {
		c.Ties, c.Name = t, c.Name+" with ties "+t.String()
	}
	return c
}

// WithGain returns c with another gain, and a name that says so.
func (c Convention) WithGain(g Gain) Convention {
	if c.Gain.String() != g.String() {
		c.Gain, c.Name = g, c.Name+" with gain "+g.String()
	}
	return c
}

// WithEmpty returns c with another value for empty queries, and a name that says so.
func (c Convention) WithEmpty(e Empty) Convention {
	if c.Empty != e {
		c.Empty, c.Name = e, c.Name+" with empty queries "+e.String()
	}
	return c
}

// String names the convention and spells out what matters to nDCG, for example
// "lightgbm: exp2 gain, log2 discount, empty query = 1, ties in file order".
func (c Convention) String() string {
	return fmt.Sprintf("%s: %v gain, %v discount, %s, ties %v", c.Name, c.Gain, c.Discount, c.Empty.rule(), c.Ties)
}

// LabelError is a label that a metric cannot judge.
type LabelError struct {
	Row        int     // index in the labels that were checked
	Query      string  // id, where known
	Label      float64 // as read
	Convention string  // name
	Reason     error   // and what to do
}

func (e *LabelError) Error() string {
	query := ""
	if e.Query != "" {
		query = " of query " + e.Query
	}
	return fmt.Sprintf("metric: label %v in row %d%s, by the convention %s: %v", e.Label, e.Row, query, e.Convention, e.Reason)
}

func (e *LabelError) Unwrap() error { return e.Reason }

// Check returns nil if every label has a gain, and else a [*LabelError] for the
// first that has none.
func (c Convention) Check(labels []float64) error {
	if err := c.check(labels, needGain); err != nil {
		return err
	}
	return nil
}

// need is what a metric asks of labels.
type need uint8

const (
	needGain  need = iota // a gain
	needOrder             // to be above or below a limit
	needStop              // a probability that the search ends, up to TopGrade
)

// check returns the fault of the first label that lacks what a metric needs.
func (c *Convention) check(labels []float64, n need) *LabelError {
	plain := c.plainLimit(n)
	for row, label := range labels {
		if label >= 0 && label <= plain {
			continue
		}
		if err := c.checkLabel(label, n); err != nil {
			return &LabelError{Row: row, Label: label, Convention: c.Name, Reason: err}
		}
	}
	return nil
}

// plainLimit is a label from 0 to which all labels pass, whole or not; -1 if there
// is none.
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
	case label < 0 && label >= -math.MaxFloat64 && c.Negative == NegativeWorthless:
		return nil
	case n == needGain:
		return c.Gain.Check(label)
	case n == needStop && label > float64(c.TopGrade) && label <= math.MaxFloat64:
		return fmt.Errorf("err is for labels up to %d, the convention's TopGrade", c.TopGrade)
	}
	return checkFinite(label)
}

// gain is the worth of a label, by the rule for negative ones.
func (c *Convention) gain(label float64) float64 {
	if label < 0 {
		return 0
	}
	return c.Gain.Of(label)
}

// relevant is 1 for a relevant document and else 0.
func (c *Convention) relevant(label float64) float64 {
	if label > c.RelevantAbove {
		return 1
	}
	return 0
}
