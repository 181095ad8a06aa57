package evaluate_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/evaluate"
	"github.com/lambdamart/lambdamart/metric"
)

// Judge scores in memory, whose rows are in any order. A document without a score has no rank, but counts in
// the ideal ranking. Computed by hand, the query gopher has nDCG (3/log2(3)) / (3 + 1/log2(3)) = 0.5213 if a
// grade g has the gain 2^g - 1, as in LightGBM, and (2/log2(3)) / (2 + 1/log2(3)) = 0.4796 if the gain is g.
func ExampleJudge() {
	ranking := evaluate.FromRows("my scores", evaluate.Rows{
		Query:  []string{"gopher", "marmot", "gopher", "gopher", "marmot"},
		Labels: []float64{2, 0, 0, 1, 1},
		Scores: []float64{0.3, 0.9, 0.7, math.NaN(), 0.4},
	})
	metrics := []metric.Metric{metric.NDCG(metric.LightGBM(), 10), metric.NDCG(metric.SKLearn(), 10)}
	j, err := evaluate.Judge(context.Background(), ranking, metrics, evaluate.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range j.Results {
		fmt.Printf("%s %.4f under %s, of queries %.4f\n", r.Metric, r.Mean, r.Convention.Name, r.PerQuery)
	}
	warnings, _ := j.Anomalies.Remarks()
	fmt.Println(warnings[0])
	// Output:
	// ndcg@10 0.5761 under lightgbm, of queries [0.5213 0.6309]
	// ndcg@10 0.5553 under sklearn, of queries [0.4796 0.6309]
	// 1 score is NaN: it is judged but not ranked: it counts in the ideal ranking and takes no rank
}

// Evaluate two systems on the same data and compare them query by query.
func ExampleCompare() {
	systems := []evaluate.Values{
		values("old", 1, 2, 1, 2, 1, 2, 2, 1, 1, 2), // right in q3 only
		values("new", 2, 1, 2, 1, 2, 1, 2, 1, 1, 2), // wrong in q4 only
	}
	c, err := evaluate.Compare(systems, metric.DefaultTestOptions(), evaluate.WithFirst)
	if err != nil {
		log.Fatal(err)
	}
	p := &c.Pairs[0]
	fmt.Printf("%s %.4f, %s %.4f: %+.4f, %d wins, %d ties, %d losses\n",
		c.Systems[p.A], c.Means[p.A], c.Systems[p.B], c.Means[p.B], p.Difference, p.Wins, p.Equal, p.Loses)
	fmt.Printf("t test p = %.3f, randomization p = %.3f\n", p.StudentT.P, p.Randomization.P)
	// Output:
	// old 0.7047, new 0.9262: +0.2214, 3 wins, 2 ties, 0 losses
	// t test p = 0.070, randomization p = 0.250
}

// values returns nDCG of five queries with two documents each, of which the first is relevant, given the
// scores of all documents.
func values(system string, scores ...float64) evaluate.Values {
	data := &dataset.Meta{Labels: []float64{1, 0, 1, 0, 1, 0, 1, 0, 1, 0}}
	for q := range 5 {
		data.Queries = append(data.Queries, dataset.Query{ID: fmt.Sprint("q", q), First: 2 * q, Len: 2})
	}
	metrics := []metric.Metric{metric.NDCG(metric.Default(), 10)}
	ranking := evaluate.FromScores(system, data, scores)
	j, err := evaluate.Judge(context.Background(), ranking, metrics, evaluate.Options{})
	if err != nil {
		log.Fatal(err)
	}
	return j.Values(0)
}
