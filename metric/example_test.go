package metric_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/metric"
)

// sample returns three queries, of which the second has no relevant document, and scores that tie
// in the third.
func sample() (*dataset.Meta, []float64) {
	return &dataset.Meta{
		Queries: []dataset.Query{{ID: "gopher", First: 0, Len: 3}, {ID: "ferret", First: 3, Len: 2}, {ID: "marmot", First: 5, Len: 2}},
		Labels:  []float64{2, 0, 1, 0, 0, 0, 1},
	}, []float64{0.3, 0.9, 0.1, 0.5, 0.4, 0.7, 0.7}
}

// By hand, under LightGBM's convention: the first query has DCG 3/log2(3) + 1/2 = 2.3928 of 3 +
// 1/log2(3) = 3.6309, the second has the value 1, the third has 1/log2(3) = 0.6309 of 1. Averaged,
// the third has (1 + 0.6309)/2.
func ExampleEvaluate() {
	data, scores := sample()
	results, err := metric.Evaluate([]metric.Metric{
		metric.NDCG(metric.LightGBM(), 10),
		metric.NDCG(metric.XGBoostMinus(), 10),
		metric.NDCG(metric.SKLearn(), 10),
		metric.MAP(metric.Default(), 0),
	}, data, scores, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range results {
		fmt.Println(r)
	}
	// Output:
	// ndcg@10 0.7633 (lightgbm: exp2 gain, log2 discount, empty query = 1, ties in file order; 3 queries, 1 without a relevant document, 1 decided by ties)
	// ndcg@10 0.4300 (xgboost-: exp2 gain, log2 discount, empty query = 0, ties in file order; 3 queries, 1 without a relevant document, 1 decided by ties)
	// ndcg@10 0.4950 (sklearn: linear gain, log2 discount, empty query = 0, ties averaged; 3 queries, 1 without a relevant document, 1 decided by ties)
	// map 0.7778 (default: relevant above 0, empty query = 1, ties averaged; 3 queries, 1 without a relevant document, 1 decided by ties)
}

func ExampleMetric() {
	labels := []float64{2, 0, 0, 1}
	scores := []float64{1, 1, 1, 1}
	for _, ties := range []metric.Ties{metric.FileOrder, metric.Pessimistic, metric.Averaged} {
		value, _ := metric.NDCG(metric.LightGBM().WithTies(ties), 3).Query(labels, scores)
		fmt.Printf("ties %v: %.6f\n", ties, value)
	}
	// Output:
	// ties in file order: 0.826235
	// ties pessimistic: 0.137706
	// ties averaged: 0.586883
}

func ExampleParse() {
	m, err := metric.Parse("ndcg@10", metric.MSLR())
	fmt.Println(m.Name(), err)
	_, err = metric.Parse("ndgc@10", metric.MSLR())
	mistake, _, _ := strings.Cut(err.Error(), "? ") // and then the names of all metrics
	fmt.Println(mistake)
	// Output:
	// ndcg@10 <nil>
	// metric: no metric "ndgc@10"; did you mean "ndcg@10"
}

// Lists may come from any source, and only the current ones must be in memory.
func ExampleEvaluator() {
	judged := map[string]float64{"d1": 1, "d2": 0, "d3": 2}
	e := metric.NewEvaluator([]metric.Metric{metric.NDCG(metric.TRECEval(), 0), metric.MRR(metric.TRECEval(), 0)}, 1)
	defer e.Close()
	list, unjudged := metric.Join("301", []string{"d2", "d9", "d3"}, []float64{3, 2, 1}, judged)
	if err := e.Add(list); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(unjudged, "ranked document has no judgment")
	for _, r := range e.Results() {
		fmt.Printf("%s %.4f\n", r.Metric, r.Mean)
	}
	// Output:
	// 1 ranked document has no judgment
	// ndcg 0.3801
	// mrr 0.3333
}

// success is the share of queries with a relevant document at one of the first k ranks: a metric of
// the program's own.
type success struct {
	convention metric.Convention
	k          int
}

func (s success) Name() string                  { return fmt.Sprintf("success@%d", s.k) }
func (s success) Convention() metric.Convention { return s.convention }

// Query ranks documents with equal scores in the order of the input.
func (s success) Query(labels, scores []float64) (value float64, ok bool) {
	byRank := make([]int, len(labels))
	for i := range byRank {
		byRank[i] = i
	}
	slices.SortStableFunc(byRank, func(i, j int) int { return cmp.Compare(scores[j], scores[i]) })
	for _, i := range byRank[:min(s.k, len(byRank))] {
		if labels[i] > s.convention.RelevantAbove {
			return 1, true
		}
	}
	return 0, true
}

func ExampleMetric_ofOnesOwn() {
	data, scores := sample()
	results, err := metric.Evaluate([]metric.Metric{
		success{metric.Default().WithTies(metric.FileOrder), 1},
		success{metric.Default().WithTies(metric.FileOrder), 2},
		metric.MRR(metric.Default(), 0),
	}, data, scores, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range results {
		fmt.Printf("%s %.4f\n", r.Metric, r.Mean)
	}
	// Output:
	// success@1 0.0000
	// success@2 0.6667
	// mrr 0.4167
}

func ExampleKinds() {
	for _, kind := range metric.Kinds()[:3] {
		fmt.Printf("%-8s %s\n", kind.Name, kind.Help)
	}
	// Output:
	// ndcg     the DCG divided by the largest that any order of the documents has
	// dcg      the sum of the documents' gains, each multiplied by the discount of its rank
	// meanndcg the mean of nDCG@k over all cut-offs k
}
