package clicks

import (
	"slices"

	"github.com/lambdamart/lambdamart/internal/trec"
)

// Judgments returns the judgments that follow from the estimates. Documents with fewer than fewest
// impressions get none. If levels is above 1, grades are integers from 0 to levels-1: equal steps from 0 to
// the value that 2 % of the documents exceed, so a single lucky document does not push all others down.
// Otherwise the estimates are the grades.
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

// upper returns the value that 2 % of all values exceed.
func upper(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[(len(values)-1)*49/50]
}

// grade returns the grade of a value: a step from 0 to levels-1 or, if levels is below 2, the value itself.
func grade(v, top float64, levels int) float64 {
	switch {
	case levels < 2:
		return v
	case top <= 0:
		return 0
	}
	return float64(min(int(v/top*float64(levels)), levels-1))
}
