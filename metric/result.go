package metric

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/internal/wording"
)

// Result is a metric's figure for a data set.
type Result struct {
	Metric     string     // [Metric.Name], such as "ndcg@10"
	Convention Convention // [Metric.Convention]
	Rules      string     // the convention in words, as far as it matters to the metric
	Mean       float64    // over the queries that count; NaN if none counts
	Queries    int        // all that were judged, including those left out of the mean
	Empty      int        // without a relevant document
	Single     int        // with one document
	// number of queries whose value may depend on the rule for ties: equal scores, different labels, and
	// ranks above the cut-off
	Tied     int
	LeftOut  int       // number of queries left out of the mean
	Weighted bool      // queries have weights and the convention uses them
	PerQuery []float64 // value of each query, in the order of the data; NaN for one left out of the mean
	Weights  []float64 // of the queries, likewise; nil unless Weighted
	Weight   float64   // sum of the weights in the mean, over all peers: its weight when means are combined

	bare   bool      // a weighted query adds its value to the mean without its weight
	within *Interval // in which all values are; nil if that is not known
}

// Label returns the label that the metric names, as "click" for "ndcg@10@click", or "" for the first, by
// which a metric of the caller judges.
func (r *Result) Label() string {
	if _, label, is := OfDocuments(r.Metric); is {
		return label
	}
	m, err := Parse(r.Metric, r.Convention)
	if err != nil { // it is the caller's own
		return ""
	}
	return LabelOf(m)
}

// ErrBareQueries is the error for a mean that is not a weighted mean of queries.
var ErrBareQueries = errors.New("queries have weights, but LightGBM and XGBoost add the ndcg of queries " +
	"without a relevant document unweighted: such a mean has no interval and no test; choose " +
	"metric_convention=default, which weights all queries")

// Sample returns the queries that count, with their weights, for means, intervals and tests. If the mean is
// not one of weighted queries, the error is [ErrBareQueries].
func (r *Result) Sample() (Sample, error) {
	if r.bare {
		err := fmt.Errorf("%s by the convention %s: %w", r.Metric, r.Convention.Name, ErrBareQueries)
		return Sample{}, err
	}
	return sampleOf(r.within, r.PerQuery, r.Weights), nil
}

// Divide is like Sample for two parts of the queries: those for which in reports true, and the others. in
// gets the index of a query in PerQuery. Welch's t test says whether the means of both parts are equal.
func (r *Result) Divide(in func(query int) bool) (inside, outside Sample, equal Test, err error) {
	if _, err := r.Sample(); err != nil {
		return Sample{}, Sample{}, Test{}, err
	}
	part := func(wanted bool) Sample {
		values := slices.Clone(r.PerQuery)
		for query := range values {
			if in(query) != wanted {
				values[query] = math.NaN()
			}
		}
		return sampleOf(r.within, values, r.Weights)
	}
	inside, outside = part(true), part(false)
	return inside, outside, welch(inside, outside), nil
}

// SampleOf returns the values that a metric gave to queries, with their weights; nil: all are equal.
func SampleOf(m Metric, values, weights []float64) Sample {
	return sampleOf(ValuesOf(m), values, weights)
}

func sampleOf(within *Interval, values, weights []float64) Sample {
	s := NewSample(values, weights)
	s.within = within
	return s
}

// ValuesOf returns the interval in which all values of a metric are, nil if it is not known.
func ValuesOf(m Metric) *Interval {
	known, ok := m.(*metric)
	switch {
	case ok && known.bounded:
		return &Interval{0, 1}
	case ok && known.ordinal: // a correlation
		return &Interval{-1, 1}
	}
	return nil
}

// tally adds up the verdicts of one metric, in the order of queries.
type tally struct {
	metric       Metric
	convention   Convention
	within       *Interval // see Result
	result       Result    // counts and values
	sum, weights float64   // weighted sum of values, and sum of weights, of the queries in the mean
	terms        []term    // of the queries in the mean, which are added up when those of all peers are known
}

func (t *tally) add(l *List, weight float64, v verdict) {
	r := &t.result
	r.Queries++
	r.Empty += count(v.empty)
	r.Tied += count(v.tied)
	r.Single += count(len(l.Labels) == 1)
	r.LeftOut += count(!v.counts)
	if t.convention.Weights == WeightsNeglected {
		weight = 1
	} else if l.Weights != nil {
		r.Weighted = true
	}
	r.Weights = append(r.Weights, weight)
	if !v.counts {
		r.PerQuery = append(r.PerQuery, math.NaN())
		return
	}
	r.PerQuery = append(r.PerQuery, v.value)
	q := term{float64(weight * v.value), weight}
	if v.bare {
		q.value = v.value
		r.bare = r.bare || weight != 1
	}
	t.terms = append(t.terms, q)
	t.weights += weight
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Results returns the results of the lists added so far, one per metric. The caller owns them. In a group of
// several processes, which must all call Results, they are the results of the lists of all processes, bit for
// bit as if one process had judged them, except that Result.PerQuery and Result.Weights have this peer's
// lists only.
func (e *Evaluator) Results() []Result {
	tallies := slices.Clone(e.tallies)
	joinMeans(e.part, tallies)
	joinCounts(e.part, tallies)
	results := make([]Result, len(tallies))
	for i, t := range tallies {
		r := t.result
		r.Metric, r.Convention, r.Mean = t.metric.Name(), t.convention, t.sum/t.weights
		r.Rules = Rules(t.metric)
		r.PerQuery, r.Weight, r.within = slices.Clone(r.PerQuery), t.weights, t.within
		if r.Weights = slices.Clone(r.Weights); !r.Weighted {
			r.Weights = nil
		}
		results[i] = r
	}
	return results
}

// String returns one line with the value and how it was computed, for example (broken in two here)
//
//	ndcg@10 0.4832 (lightgbm: exp2 gain, log2 discount, empty query = 1, ties in file order;
//	18 queries, 3 without a relevant document)
func (r Result) String() string {
	notes := []string{fmt.Sprintf("%s, %s without a relevant document", wording.Count(r.Queries, "query"),
		wording.Thousands(r.Empty))}
	if r.LeftOut > 0 {
		notes = append(notes, wording.Thousands(r.LeftOut)+" left out of the mean")
	}
	if r.Tied > 0 {
		notes = append(notes, wording.Thousands(r.Tied)+" decided by ties")
	}
	if r.Weighted {
		notes = append(notes, "weighted")
	}
	return fmt.Sprintf("%s %.4f (%s; %s)", r.Metric, r.Mean, r.Rules, strings.Join(notes, ", "))
}

// Value is a number, such as a mean, that is null in JSON if it is not finite.
type Value float64

// MarshalJSON implements [json.Marshaler].
func (n Value) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// UnmarshalJSON implements [json.Unmarshaler].
func (n *Value) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*n = Value(math.NaN())
		return nil
	}
	return json.Unmarshal(text, (*float64)(n))
}
