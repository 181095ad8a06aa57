package metric

import (
	"fmt"
	"math"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
)

// Result is a metric's figure for a data set.
type Result struct {
	Metric     string     // its name, such as "ndcg@10"
	Convention Convention // by which queries were judged
	Mean       float64    // over the queries that count; NaN if none does
	Queries    int        // in the data
	Empty      int        // without a relevant document
	Single     int        // with one document
	Tied       int        // whose value the rule for ties decides: equal scores, different labels, a rank that counts
	LeftOut    int        // that do not enter the mean
	Weighted   bool       // queries have weights and the convention heeds them
	PerQuery   []float64  // value of each query, in the order of the data; NaN for one left out
}

// summarize counts and averages the verdicts of m, one a query.
func summarize(m Metric, data *dataset.Meta, verdicts []verdict) Result {
	c := m.Convention()
	r := Result{
		Metric:     m.Name(),
		Convention: c,
		Queries:    len(verdicts),
		Weighted:   data.Weights != nil && c.Weights != WeightsNeglected,
		PerQuery:   make([]float64, len(verdicts)),
	}
	for number, v := range verdicts {
		r.PerQuery[number] = v.value
		if !v.counts {
			r.PerQuery[number] = math.NaN()
			r.LeftOut++
		}
		r.Empty += count(v.empty)
		r.Tied += count(v.tied)
		r.Single += count(data.Queries[number].Len == 1)
	}
	r.Mean = mean(c, data, verdicts)
	return r
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// mean sums in the order of queries.
func mean(c Convention, data *dataset.Meta, verdicts []verdict) float64 {
	sum, weights := 0.0, 0.0
	for number, v := range verdicts {
		if !v.counts {
			continue
		}
		weight := 1.0
		if data.Weights != nil && c.Weights != WeightsNeglected {
			weight = meanWeight(data, number)
		}
		weights += weight
		if v.empty && c.Weights == EmptyUnweighted {
			weight = 1
		}
		sum += float64(weight * v.value)
	}
	return sum / weights
}

// meanWeight is the weight of a query: the mean of its rows'.
func meanWeight(data *dataset.Meta, number int) float64 {
	q := data.Queries[number]
	sum := 0.0
	for _, weight := range data.Weights[q.First : q.First+q.Len] {
		sum += weight
	}
	return sum / float64(q.Len)
}

// String is one line that says what the number is, for example
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
	return fmt.Sprintf("%s %.4f (%v; %s)", r.Metric, r.Mean, r.Convention, strings.Join(notes, ", "))
}
