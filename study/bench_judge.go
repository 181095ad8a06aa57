package study

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/training"
)

// metrics returns first the metric that chooses and compares, then nDCG at each cut-off. Names mean the same
// as in training.
func (o *BenchOptions) metrics() ([]metric.Metric, error) {
	p := training.DefaultParams()
	p.Metric, p.EvalAt, p.MetricConvention = []string{"ndcg"}, o.Cutoffs, o.Convention
	ndcg, err := rounds.Metrics(&p, o.Gain)
	if err != nil {
		return nil, err
	}
	rules, err := metric.ConventionByName(o.Convention, o.Gain)
	if err != nil {
		return nil, err
	}
	first, err := metric.Parse(o.Metric, rules)
	switch {
	case err != nil:
		return nil, err
	case rules.Ties == metric.ByDocument:
		return nil, errors.New("metric_convention=" + o.Convention + " breaks ties by document id, which an " +
			"experiment does not read; choose another")
	case metric.ReadsPairs(first):
		return nil, fmt.Errorf("metric=%s: %w", o.Metric, errNoPairs)
	}
	others := slices.DeleteFunc(ndcg, func(m metric.Metric) bool { return m.Name() == first.Name() })
	return append([]metric.Metric{first}, others...), nil
}

// metricValues are the values of a metric for a model.
type metricValues struct {
	Metric string       `json:"metric"`
	Mean   metric.Value `json:"mean"`
	Values nullable     `json:"values"` // of each test query; NaN if it does not count
}

// judge adds to r the values of the metrics on the scores of all test documents, and the weights of the
// queries, which are the same for all metrics.
func (e *experiment) judge(r *rankerRun, d *testData, scores []float64) error {
	results, err := metric.Evaluate(e.metrics, d.meta, scores, e.options.Threads)
	if err != nil {
		return err
	}
	for i := range results {
		by := &results[i]
		if _, err := by.Sample(); err != nil {
			return err
		}
		r.Judged = append(r.Judged, metricValues{by.Metric, metric.Value(by.Mean), by.PerQuery})
	}
	r.Weights = results[0].Weights
	return nil
}

// Scoring is repeated until it has taken this long, or has been done this often. The fastest pass counts.
const (
	enoughTime   = 200 * time.Millisecond
	enoughPasses = 5
)

// timedScores scores all test documents on one thread, one query per call. It also returns the microseconds
// per document in the fastest pass.
func timedScores(d *testData, m *fittedRanker) (scores []float64, micros float64, err error) {
	scores = make([]float64, d.meta.NumRows())
	begin, fastest := time.Now(), time.Duration(math.MaxInt64)
	for pass := 0; pass < enoughPasses && (pass == 0 || time.Since(begin) < enoughTime); pass++ {
		start := time.Now()
		for _, q := range d.meta.Queries {
			rows := d.values[q.First*d.features : (q.First+q.Len)*d.features]
			if err := m.score(scores[q.First:q.First+q.Len], rows); err != nil {
				return nil, 0, err
			}
		}
		fastest = min(fastest, time.Since(start))
	}
	return scores, float64(fastest) / float64(time.Microsecond) / float64(len(scores)), nil
}
