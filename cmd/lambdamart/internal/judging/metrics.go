package judging

import (
	"slices"

	"github.com/lambdamart/lambdamart/metric"
)

// metricsNamed returns the metrics with the given names under each of the conventions: all metrics of the
// first convention, then all of the second, and so on. A name without a cut-off, such as "ndcg", stands for
// the metric at each of the cut-offs ([metric.AtCutoffs]); one with a cut-off, such as "map@10", for itself.
// Within a convention every metric comes once. The error is that of [metric.Parse].
func metricsNamed(names []string, cutoffs []int, conventions ...metric.Convention) ([]metric.Metric, error) {
	var all []metric.Metric
	for _, c := range conventions {
		metrics, err := metricsUnder(c, names, cutoffs)
		if err != nil {
			return nil, err
		}
		all = append(all, metrics...)
	}
	return all, nil
}

func metricsUnder(c metric.Convention, names []string, cutoffs []int) ([]metric.Metric, error) {
	var metrics []metric.Metric
	for _, name := range names {
		for _, spec := range metric.AtCutoffs(name, cutoffs) {
			m, err := metric.Parse(spec, c)
			if err != nil {
				return nil, err
			}
			if !slices.ContainsFunc(metrics, func(other metric.Metric) bool { return other.Name() == m.Name() }) {
				metrics = append(metrics, m)
			}
		}
	}
	return metrics, nil
}
