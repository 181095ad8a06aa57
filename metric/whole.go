package metric

import (
	"fmt"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/wording"
)

// Whole is a [Metric] that judges all queries of the data at once, such as one that another process
// computes. [Evaluate], and so training, calls All instead of Query for each query.
type Whole interface {
	Metric

	// All returns the value for the data; a larger one is better. scores has an entry for each row; it
	// must not be changed or kept.
	All(data *dataset.Meta, scores []float64) (float64, error)
}

// Each is a [Whole] that judges single queries too, so that rankers can be compared by it.
type Each interface {
	Whole

	// Each returns the value of each query, all with the same weight. scores is as in All.
	Each(data *dataset.Meta, scores []float64) ([]float64, error)
}

// split returns the metrics that judge query by query.
func split(metrics []Metric) (byQuery []Metric) {
	for _, m := range metrics {
		if _, ok := m.(Whole); !ok {
			byQuery = append(byQuery, m)
		}
	}
	return byQuery
}

// withWhole returns the results of all metrics in their order, given the results of the metrics that judge
// query by query.
func withWhole(metrics []Metric, byQuery []Result, data *dataset.Meta, scores []float64) ([]Result, error) {
	results := make([]Result, 0, len(metrics))
	known := map[*documents]*Reliability{} // the metrics of one's probabilities share the sorting
	for _, m := range metrics {
		w, ok := m.(Whole)
		if !ok {
			results, byQuery = append(results, byQuery[0]), byQuery[1:]
			continue
		}
		r, err := judgeWhole(w, data, scores, known)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name(), err)
		}
		results = append(results, r)
	}
	return results, nil
}

// judgeWhole returns the result of a metric that judges all queries at once.
func judgeWhole(m Whole, data *dataset.Meta, scores []float64,
	known map[*documents]*Reliability) (r Result, err error) {
	n := len(data.Queries)
	r = Result{Metric: m.Name(), Convention: m.Convention(), Rules: Rules(m), Queries: n,
		Weight: float64(n)}
	labels, err := data.LabelsOf(LabelOf(m))
	if err != nil {
		return r, err
	}
	for _, q := range data.Queries {
		r.Empty += count(isEmpty(labels[q.First : q.First+q.Len]))
	}
	if d, ok := m.(documentMetric); ok {
		if known[d.documents] == nil {
			if known[d.documents], err = d.judge(data, scores); err != nil {
				return r, err
			}
		}
		r.Mean = d.of(known[d.documents])
		return r, nil
	}
	each, ok := m.(Each)
	if !ok {
		r.Mean, err = m.All(data, scores)
		return r, err
	}
	if r.PerQuery, err = each.Each(data, scores); err != nil {
		return r, err
	}
	if len(r.PerQuery) != n {
		return r, fmt.Errorf("%s for %s", wording.Count(len(r.PerQuery), "value"), wording.Count(n, "query"))
	}
	for _, v := range r.PerQuery {
		r.Mean += v
	}
	r.Mean /= float64(n)
	return r, nil
}

// Weigh returns which queries of the data count for a metric, and with which weights, before anything is
// ranked. The values in the result are those of equal scores; everything else is the same for any ranking.
// For a [Whole], each query counts once. The error is as for [Evaluate], or [ErrBareQueries].
func Weigh(m Metric, data *dataset.Meta, workers int) (*Result, error) {
	if _, ok := m.(Whole); ok {
		n := len(data.Queries)
		return &Result{Metric: m.Name(), Convention: m.Convention(), Queries: n, Weight: float64(n)}, nil
	}
	results, err := Evaluate([]Metric{m}, data, make([]float64, data.NumRows()), workers)
	if err != nil {
		return nil, err
	}
	_, err = results[0].Sample()
	return &results[0], err
}
