package metric_test

import (
	"fmt"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/metric"
)

// sample returns three queries, the second without a relevant document, and scores that tie in the third.
func sample() (*dataset.Meta, []float64) {
	return &dataset.Meta{
		Queries: []dataset.Query{{ID: "gopher", First: 0, Len: 3}, {ID: "ferret", First: 3, Len: 2},
			{ID: "marmot", First: 5, Len: 2}},
		Labels: []float64{2, 0, 1, 0, 0, 0, 1},
	}, []float64{0.3, 0.9, 0.1, 0.5, 0.4, 0.7, 0.7}
}

// Computed by hand under LightGBM's convention: the first query has DCG 3/log2(3) + 1/2 = 2.3928 out of 3 +
// 1/log2(3) = 3.6309, the second has the value 1, and the third has 1/log2(3) = 0.6309 out of 1. Averaged
// over ties, the third has (1 + 0.6309)/2.
func ExampleEvaluate() {
	data, scores := sample()
	metrics := []metric.Metric{metric.NDCG(metric.LightGBM(), 10), metric.NDCG(metric.SKLearn(), 10)}
	results, err := metric.Evaluate(metrics, data, scores, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range results {
		fmt.Println(strings.ReplaceAll(r.String(), "; ", "\n  "))
	}
	// Output:
	// ndcg@10 0.7633 (lightgbm: exp2 gain, log2 discount, empty query = 1, ties in file order
	//   3 queries, 1 without a relevant document, 1 decided by ties)
	// ndcg@10 0.4950 (sklearn: linear gain, log2 discount, empty query = 0, ties averaged
	//   3 queries, 1 without a relevant document, 1 decided by ties)
}

func ExampleParse() {
	c, err := metric.ConventionByName("mslr", metric.Exp2())
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := metric.Parse("ndcg@10", c)
	fmt.Println(m.Name(), err)
	_, err = metric.Parse("ndgc@10", c)
	mistake, _, _ := strings.Cut(err.Error(), "? ") // the names of all metrics follow
	fmt.Println(mistake)
	// Output:
	// ndcg@10 <nil>
	// no metric "ndgc@10"; did you mean "ndcg@10"
}

// top is a custom metric: the share of queries whose top document is relevant.
type top struct{}

func (top) Name() string                  { return "top" }
func (top) Convention() metric.Convention { return metric.Default() }

func (top) Query(labels, scores []float64) (value float64, ok bool) {
	best := 0
	for i := range scores {
		if scores[i] > scores[best] {
			best = i
		}
	}
	return min(1, labels[best]), true
}

func ExampleMetric() {
	data, scores := sample()
	results, err := metric.Evaluate([]metric.Metric{top{}, metric.NDCG(metric.Default(), 1)}, data, scores, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range results {
		fmt.Printf("%s %.4f\n", r.Metric, r.Mean)
	}
	// Output:
	// top 0.0000
	// ndcg@1 0.5000
}

// scipy 1.17 gives 0.00577, 0.01172 and 0.00781 for the differences 0.04, 0.03, ....
func ExampleCompare() {
	a := []float64{0.41, 0.52, 0.33, 0.60, 0.48, 0.25, 0.71, 0.39, 0.55, 0.44}
	b := []float64{0.45, 0.55, 0.31, 0.66, 0.52, 0.29, 0.70, 0.47, 0.58, 0.49}
	c, err := metric.Compare(a, b, nil, metric.DefaultTestOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%+.4f, 95%% interval %+.4f to %+.4f\n", c.Difference, c.Interval.Low, c.Interval.High)
	fmt.Printf("t test %.4f, randomization %.4f, Wilcoxon %.4f\n", c.StudentT.P, c.Randomization.P, c.Wilcoxon.P)
	// Output:
	// +0.0340, 95% interval +0.0089 to +0.0591
	// t test 0.0058, randomization 0.0117, Wilcoxon 0.0078
}
