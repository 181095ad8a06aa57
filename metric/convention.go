package metric

import (
	"fmt"
	"strings"
)

// Convention is all that tools differ in when they compute a metric of one name.
// The zero value, but for its name, is [Default] without weights.
type Convention struct {
	Name     string // of a preset; [Convention.WithTies] and its like say what they changed
	Gain     Gain
	Discount Discount
	Empty    Empty
	Ties     Ties
	Weights  Weights
	Negative Negative
}

// Empty is what a query without a relevant document counts.
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

// value is what the query counts, and whether it does.
func (e Empty) value() (value float64, ok bool) {
	return [...]float64{EmptyOne: 1, EmptyZero: 0, EmptyHalf: 0.5, EmptyLeftOut: 0}[e], e != EmptyLeftOut
}

// Ties is how documents with equal scores are ranked.
type Ties uint8

const (
	Averaged    Ties = iota // the mean over all their orders
	FileOrder               // as they come in the input: a stable sort
	Pessimistic             // the lowest label first
)

// String is "averaged", "in file order" or "pessimistic".
func (t Ties) String() string {
	return [...]string{Averaged: "averaged", FileOrder: "in file order", Pessimistic: "pessimistic"}[t]
}

// Weights is how a query weighs in the mean. The weight of a query is the mean
// weight of its rows, and 1 where rows have no weights.
type Weights uint8

const (
	Weighted         Weights = iota // sum(weight · value) / sum(weight)
	EmptyUnweighted                 // the same, but an empty query adds its bare value to the upper sum: LightGBM's and XGBoost's rule
	WeightsNeglected                // all queries weigh 1
)

// Negative is what a negative label means.
type Negative uint8

const (
	NegativeRefused   Negative = iota // it is an error
	NegativeWorthless                 // its gain is 0
)

// Default is the convention of training: LightGBM's, with ties averaged.
func Default() Convention { return Convention{Name: "default"} }

// LightGBM is LightGBM's ndcg.
func LightGBM() Convention {
	return Convention{Name: "lightgbm", Ties: FileOrder, Weights: EmptyUnweighted}
}

// XGBoost is XGBoost's ndcg.
func XGBoost() Convention {
	return Convention{Name: "xgboost", Ties: FileOrder, Weights: EmptyUnweighted}
}

// XGBoostMinus is XGBoost's ndcg with the suffix "-": empty queries count 0.
func XGBoostMinus() Convention {
	return Convention{Name: "xgboost-", Empty: EmptyZero, Ties: FileOrder, Weights: Weighted}
}

// SKLearn is scikit-learn's ndcg_score and dcg_score.
func SKLearn() Convention {
	return Convention{Name: "sklearn", Gain: Linear(), Empty: EmptyZero, Weights: Weighted}
}

// MSLR is Microsoft's eval-score-mslr.pl: its own discount, empty queries 0.
func MSLR() Convention {
	return Convention{Name: "mslr", Discount: Microsoft, Empty: EmptyZero, Ties: FileOrder, Weights: WeightsNeglected}
}

// Presets returns all named conventions, [Default] first.
func Presets() []Convention {
	return []Convention{Default(), LightGBM(), XGBoost(), XGBoostMinus(), SKLearn(), MSLR()}
}

// ConventionByName returns the preset of that name. The error for an unknown
// name suggests the nearest one.
func ConventionByName(name string) (Convention, error) {
	var names []string
	for _, c := range Presets() {
		if c.Name == name {
			return c, nil
		}
		names = append(names, c.Name)
	}
	return Convention{}, fmt.Errorf("metric: no convention %q; did you mean %q? There are %s",
		name, nearest(name, names), strings.Join(names, ", "))
}

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

// String names the convention and spells it out, for example
// "lightgbm: exp2 gain, log2 discount, empty query = 1, ties in file order".
func (c Convention) String() string {
	empty := "empty query = " + c.Empty.String()
	if c.Empty == EmptyLeftOut {
		empty = "empty queries left out"
	}
	return fmt.Sprintf("%s: %v gain, %v discount, %s, ties %v", c.Name, c.Gain, c.Discount, empty, c.Ties)
}

// LabelError is a label that has no gain under a convention.
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
	return fmt.Sprintf("metric: label %v in row %d%s has no gain under the convention %s: %v",
		e.Label, e.Row, query, e.Convention, e.Reason)
}

func (e *LabelError) Unwrap() error { return e.Reason }

// Check returns nil if every label has a gain, and else a [*LabelError] for the
// first that has none.
func (c Convention) Check(labels []float64) error {
	for row, label := range labels {
		if label < 0 && c.Negative == NegativeWorthless {
			continue
		}
		if err := c.Gain.Check(label); err != nil {
			return &LabelError{Row: row, Label: label, Convention: c.Name, Reason: err}
		}
	}
	return nil
}

// gain is the worth of a label, by the rule for negative ones.
func (c *Convention) gain(label float64) float64 {
	if label < 0 {
		return 0
	}
	return c.Gain.Of(label)
}
