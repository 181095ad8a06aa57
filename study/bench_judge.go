package study

import (
	"errors"
	"math"
	"time"

	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/training"
)

// judges are the metrics of an experiment.
type judges struct {
	metrics    []metric.Metric // first the one that chooses and compares, then nDCG at each cut-off
	convention string
	gain       metric.Gain
}

// newJudge returns the metric whose name is decides, and nDCG at the cut-offs. Names mean the same as in
// training.
func newJudge(decides, convention string, cutoffs []int, gain metric.Gain) (judges, error) {
	p := training.DefaultParams()
	p.Metric, p.EvalAt = []string{"ndcg"}, cutoffs
	p.MetricConvention = convention
	ndcg, err := p.Metrics(gain)
	if err != nil {
		return judges{}, err
	}
	rules, err := metric.ConventionByName(p.MetricConvention, gain)
	if err != nil {
		return judges{}, err
	}
	first, err := metric.Parse(decides, rules)
	if err != nil {
		return judges{}, err
	}
	j := judges{[]metric.Metric{first}, convention, gain}
	for _, m := range ndcg {
		if m.Name() != first.Name() {
			j.metrics = append(j.metrics, m)
		}
	}
	if rules.Ties == metric.ByDocument {
		return j, errors.New("metric_convention=" + convention + " breaks ties by document id, which an " +
			"experiment does not read; choose another")
	}
	return j, nil
}

// metricValues are the values of a metric for a model.
type metricValues struct {
	Metric string       `json:"metric"`
	Mean   metric.Value `json:"mean"`
	Values nullable     `json:"values"` // of each test query; NaN if it does not count
}

// values evaluates the metrics on the scores of all test documents. weights has the weights of the queries,
// which are the same for all metrics; it is nil if there are none.
func (j *judges) values(d *testData, scores []float64, workers int) (all []metricValues, weights []float64,
	err error) {
	results, err := metric.Evaluate(j.metrics, d.meta, scores, workers)
	if err != nil {
		return nil, nil, err
	}
	for i := range results {
		r := &results[i]
		if _, err := r.Sample(); err != nil {
			return nil, nil, err
		}
		all = append(all, metricValues{r.Metric, metric.Value(r.Mean), r.PerQuery})
	}
	return all, results[0].Weights, nil
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
