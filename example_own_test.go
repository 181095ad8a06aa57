package lambdamart_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/training"
)

// crossEntropy is a custom objective: the cross entropy of the distributions softmax(label) and
// softmax(score) over the documents of a query.
type crossEntropy struct{}

func (crossEntropy) Name() string                { return "my_cross_entropy" }
func (crossEntropy) Prepare(*dataset.Meta) error { return nil } // accepts all labels

func (crossEntropy) Gradients(dst objective.Gradients, q objective.Query) {
	wanted, now := softmax(q.Labels), softmax(q.Scores)
	for i := range q.Labels {
		dst.Lambda[i] = now[i] - wanted[i]
		dst.Hessian[i] = now[i] * (1 - now[i])
	}
}

func softmax(x []float64) []float64 {
	largest, sum, p := math.Inf(-1), 0.0, make([]float64, len(x))
	for _, v := range x {
		largest = max(largest, v)
	}
	for i, v := range x {
		p[i] = math.Exp(v - largest)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// bestFirst is a custom metric: the share of queries whose first document has the highest label of the query.
type bestFirst struct{}

func (bestFirst) Name() string                  { return "best-first" }
func (bestFirst) Convention() metric.Convention { return metric.Default() }

func (bestFirst) Query(labels, scores []float64) (value float64, ok bool) {
	if len(labels) == 0 {
		return 0, false
	}
	first, highest := 0, labels[0]
	for i := range labels {
		if scores[i] > scores[first] {
			first = i
		}
		highest = max(highest, labels[i])
	}
	if labels[first] == highest {
		return 1, true
	}
	return 0, true
}

// matrix draws queries of 10 documents in memory. The label is the second feature plus noise.
func matrix(queries int) dataset.Columned {
	random := rand.New(rand.NewPCG(uint64(queries), 1))
	var rows [][]float64
	var labels []float64
	sizes := make([]int, queries)
	for q := range sizes {
		sizes[q] = 10
		for range sizes[q] {
			x := []float64{random.Float64(), random.Float64(), math.NaN()} // NaN is a missing value
			rows, labels = append(rows, x), append(labels, math.Floor(3*x[1]+2*random.Float64()))
		}
	}
	d, err := dataset.FromRows(rows, labels, sizes)
	if err != nil {
		log.Fatal(err)
	}
	return d
}

// Train on a matrix in memory with a custom objective and a custom metric. Training stops when the metric no
// longer rises on the validation data.
func ExampleBin() {
	ctx := context.Background()
	p := lambdamart.DefaultParams()
	p.StopMetric, p.Patience = bestFirst{}.Name(), 10
	d, err := lambdamart.Bin(ctx, p, matrix(60), matrix(20)) // validation data is binned with the same bins
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	rounds := 0
	p.Options.Objective, p.Options.Metrics = crossEntropy{}, []metric.Metric{bestFirst{}}
	p.Options.Round = func(round training.Round) { rounds = round.Number }
	r, err := lambdamart.Train(ctx, p, d)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s after %d of %d rounds: %s %.2f\n", r.Stopped, r.Best, rounds, r.Watched, r.BestValue)

	scores, err := lambdamart.ScoreRows(r.Model, [][]float64{{0.5, 0.9, math.NaN()}, {0.5, 0.1, math.NaN()}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("the better document has the higher score:", scores[0] > scores[1])
	// Output:
	// stopped early after 10 of 20 rounds: best-first on valid_1 0.75
	// the better document has the higher score: true
}
