package metric

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Result is a metric's figure for a data set.
type Result struct {
	Metric     string     // [Metric.Name], such as "ndcg@10"
	Convention Convention // [Metric.Convention]
	Rules      string     // the convention in words, as far as it matters to the metric
	Mean       float64    // over the queries that count; NaN if none does
	Queries    int        // all that were judged, those left out of the mean included
	Empty      int        // without a relevant document
	Single     int        // with one document
	Tied       int        // whose value may depend on the rule for ties: equal scores, different labels, ranks above the cut-off
	LeftOut    int        // of the mean
	Weighted   bool       // queries have weights and the convention uses them
	PerQuery   []float64  // value of each query, in the order of the data; NaN for one left out of the mean
}

// tally adds up the verdicts of one metric, in the order of queries.
type tally struct {
	metric       Metric
	convention   Convention
	result       Result  // counts and values
	sum, weights float64 // weighted sum of values, and sum of weights, of the queries in the mean
	terms        []term  // of the queries in the mean, if they are added up later; nil if at once
}

func (t *tally) add(l *List, weight float64, v verdict) {
	r := &t.result
	r.Queries++
	r.Empty += count(v.empty)
	r.Tied += count(v.tied)
	r.Single += count(len(l.Labels) == 1)
	r.LeftOut += count(!v.counts)
	if !v.counts {
		r.PerQuery = append(r.PerQuery, math.NaN())
		return
	}
	r.PerQuery = append(r.PerQuery, v.value)
	if t.convention.Weights == WeightsNeglected {
		weight = 1
	} else if l.Weights != nil {
		r.Weighted = true
	}
	q := term{float64(weight * v.value), weight}
	if v.bare {
		q.value = v.value
	}
	if t.terms != nil {
		t.terms = append(t.terms, q)
		return
	}
	t.addTerm(q)
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Results returns the results of the lists added so far, one a metric. The caller owns them.
func (e *Evaluator) Results() []Result {
	results := make([]Result, len(e.tallies))
	for i, t := range e.tallies {
		r := t.result
		r.Metric, r.Convention, r.Mean = t.metric.Name(), t.convention, t.sum/t.weights
		r.Rules = t.convention.String()
		if m, ok := t.metric.(*metric); ok {
			r.Rules = m.rules()
		}
		r.PerQuery = slices.Clone(r.PerQuery)
		results[i] = r
	}
	return results
}

// String returns one line that says what the number is, for example
//
//	ndcg@10 0.4832 (lightgbm: exp2 gain, log2 discount, empty query = 1, ties in file order; 18 queries, 3 without a relevant document)
func (r Result) String() string {
	notes := []string{fmt.Sprintf("%d queries, %d without a relevant document", r.Queries, r.Empty)}
	if r.Tied > 0 {
		notes = append(notes, fmt.Sprintf("%d decided by ties", r.Tied))
	}
	if r.Weighted {
		notes = append(notes, "weighted")
	}
	return fmt.Sprintf("%s %.4f (%s; %s)", r.Metric, r.Mean, r.Rules, strings.Join(notes, ", "))
}
