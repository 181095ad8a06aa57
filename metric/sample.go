package metric

import (
	"fmt"
	"math"
	"slices"

	"github.com/lambdamart/lambdamart/internal/wording"
)

// Sample is the values of some queries, or the differences of two rankers on them, and how much each query
// counts. All statistics of weighted queries are computed here. With w the weights, x the values and W = Σw:
//
//   - the mean is m = Σwx/W, as for a metric of weighted queries;
//   - the queries have the same precision as (Σw)²/Σw² queries of equal weight (L. Kish, Survey
//     Sampling, 1965): [Sample.effective];
//   - the standard error is computed by the jackknife, which leaves out one query at a time:
//     sqrt((n-1)/n · Σ (w(x-m)/(W-w))²).
//
// For equal weights these are the mean, n, and the standard deviation over the root of n.
type Sample struct {
	Values  []float64
	Weights []float64 // nil: all are equal
	within  *Interval // interval in which all means lie; nil: the mean can be any number
}

// NewSample returns the sample of the values that count: those that are not NaN, of queries whose weight is
// not 0. weights has one entry per value, or is nil if all are equal.
func NewSample(values, weights []float64) Sample {
	var s Sample
	for i, v := range values {
		weight := 1.0
		if weights != nil {
			weight = weights[i]
		}
		if !math.IsNaN(v) && weight != 0 {
			s.Values, s.Weights = append(s.Values, v), append(s.Weights, weight)
		}
	}
	if !slices.ContainsFunc(s.Weights, func(w float64) bool { return w != s.Weights[0] }) {
		s.Weights = nil
	}
	return s
}

// weight returns the weight of a query.
func (s Sample) weight(i int) float64 {
	if s.Weights == nil {
		return 1
	}
	return s.Weights[i]
}

// total returns the sum of the weights.
func (s Sample) total() float64 {
	sum := 0.0
	for i := range s.Values {
		sum += s.weight(i)
	}
	return sum
}

// Mean returns the weighted mean, NaN if no query counts.
func (s Sample) Mean() float64 {
	sum := 0.0
	for i, v := range s.Values {
		sum += float64(s.weight(i) * v)
	}
	return sum / s.total()
}

// effective returns the number of queries of equal weight that have the same precision as these.
func (s Sample) effective() float64 {
	if s.Weights == nil {
		return float64(len(s.Values))
	}
	sum, squares := s.total(), 0.0
	for _, w := range s.Weights {
		squares += float64(w * w)
	}
	return float64(sum / squares * sum)
}

// freedom returns the degrees of freedom of Student's t: one less than the effective number of queries, and
// at least 1.
func (s Sample) freedom() float64 { return max(1, s.effective()-1) }

// StandardError returns the standard error of the mean, NaN for fewer than two queries.
func (s Sample) StandardError() float64 {
	n, m, total, sum := float64(len(s.Values)), s.Mean(), s.total(), 0.0
	for i, v := range s.Values {
		w := s.weight(i)
		moved := float64(w / (total - w) * (v - m)) // how far the mean moves without this query
		sum += float64(moved * moved)
	}
	return math.Sqrt(float64((n - 1) / n * sum))
}

// fewQueries is the number of queries below which [Sample.Remark] warns.
const fewQueries = 20

// Remark returns a remark for the user on intervals and tests of so few queries; it is empty if there are
// enough queries.
func (s Sample) Remark() string { return remark(len(s.Values), s.effective()) }

func remark(queries int, effective float64) string {
	text := wording.Count(queries, "query") + wording.Agree(queries, " is few", " are few")
	if queries >= fewQueries {
		text = fmt.Sprintf("the weights make %s as good as %.1f equal ones, which are few",
			wording.Count(queries, "query"), effective)
	}
	if queries == 0 || effective >= fewQueries {
		return ""
	}
	return text + fmt.Sprintf(": intervals and tests of fewer than %d are rough "+
		"(docs/metrics.md says how rough)", fewQueries)
}
