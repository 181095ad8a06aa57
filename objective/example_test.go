package objective_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/lambdamart/lambdamart"
	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/objective"
	"github.com/lambdamart/lambdamart/training"
)

// squaredError is a custom objective: the squared difference of scores and grades, both relative to their
// mean in the query, so that queries of many good documents do not need higher scores:
//
//	L = Σ ½·w·(d_i - mean d)²,  d_i = s_i - y_i
type squaredError struct{}

func (squaredError) Name() string { return "squared_error" }

// Prepare accepts all grades and stores nothing.
func (squaredError) Prepare(*dataset.Meta) error { return nil }

func (squaredError) Gradients(dst objective.Gradients, q objective.Query) {
	mean := 0.0
	for i, score := range q.Scores {
		mean += (score - q.Labels[i]) / float64(len(q.Scores))
	}
	for i, score := range q.Scores {
		weight := 1.0
		if q.Weights != nil {
			weight = q.Weights[i]
		}
		dst.Lambda[i] = weight * (score - q.Labels[i] - mean)
		dst.Hessian[i] = weight
	}
}

// Train with a custom objective. LightGBM does not know it, so the model file names the objective "custom".
func Example() {
	ctx, p := context.Background(), lambdamart.DefaultParams()
	p.NumIterations, p.Metric, p.IsTrainingMetric = 20, []string{"ndcg@5"}, true
	d, err := lambdamart.Bin(ctx, p, shop())
	if err != nil {
		log.Fatal(err)
	}
	var last training.Round
	p.Options.Objective = squaredError{}
	p.Options.Round = func(round training.Round) { last = round }
	r, err := lambdamart.Train(ctx, p, d)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s after %d trees: %.2f\n", last.Evaluations[0].Result.Metric, r.Rounds,
		last.Evaluations[0].Result.Mean)
	fmt.Println("objective of the model:", r.Model.Objective)
	// Output:
	// ndcg@5 after 20 trees: 1.00
	// objective of the model: custom
}

// shop draws 60 queries of 10 documents with two features. The second feature determines the grade.
func shop() dataset.Columned {
	var rows [][]float64
	var labels []float64
	for i := range 600 {
		x := []float64{float64(i % 7), math.Mod(float64(i)*0.37, 1)}
		rows, labels = append(rows, x), append(labels, math.Floor(3*x[1]))
	}
	sizes := make([]int, 60)
	for q := range sizes {
		sizes[q] = 10
	}
	data, err := dataset.FromRows(rows, labels, sizes)
	if err != nil {
		log.Fatal(err)
	}
	return data
}
