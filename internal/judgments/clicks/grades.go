package clicks

import (
	"slices"

	"github.com/lambdamart/lambdamart/internal/trec"
)

// Judgments returns the estimates of the documents that were shown at least so often, as judgments. levels
// above 1 makes whole grades of them, 0 to levels-1: equal steps from 0 to the value that a fiftieth of the
// documents exceed, so that a single document of luck does not push all others down. Otherwise the estimates
// are the grades.
func (r *Result) Judgments(levels int, fewest float64) *trec.Qrels {
	q := &trec.Qrels{Judged: map[string]map[string]float64{}}
	var kept []Estimate
	var values []float64
	for _, e := range r.Documents {
		if e.Impressions >= fewest {
			kept, values = append(kept, e), append(values, e.Value)
		}
	}
	top := upper(values)
	for _, e := range kept {
		if q.Judged[e.Query] == nil {
			q.Judged[e.Query] = map[string]float64{}
			q.Queries = append(q.Queries, e.Query)
		}
		q.Judged[e.Query][e.Document] = grade(e.Value, top, levels)
	}
	return q
}

// upper returns the value that a fiftieth of all exceed.
func upper(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[(len(values)-1)*49/50]
}

// grade returns the step of a value, or the value.
func grade(v, top float64, levels int) float64 {
	switch {
	case levels < 2:
		return v
	case top <= 0:
		return 0
	}
	return float64(min(int(v/top*float64(levels)), levels-1))
}
