package objective_test

import (
	"fmt"
	"log"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/objective"
)

// Compute the derivatives of one query: the better document is ranked below the other, and its score should
// rise.
func ExampleNew() {
	p := objective.DefaultAllParams()
	p.LambdarankLogNorm, p.LambdarankScoreGapNorm = false, false
	o, err := objective.New("lambdarank", &p)
	if err != nil {
		log.Fatal(err)
	}
	data := &dataset.Meta{Labels: []float64{0, 1}, Queries: []dataset.Query{{ID: "shoes", Len: 2}}}
	if err := o.Prepare(data); err != nil {
		log.Fatal(err)
	}
	q := objective.QueryOf(data, 0)
	q.Scores = []float64{0.5, 0.5}
	dst := objective.Gradients{Lambda: make([]float64, 2), Hessian: make([]float64, 2)}
	o.Gradients(dst, q)
	fmt.Printf("%.3f %.3f\n", dst.Lambda, dst.Hessian)
	// Output:
	// [0.185 -0.185] [0.092 0.092]
}

// Add noise to the scores of a query. It is the same in every run and for any number of threads, and
// differs between queries, iterations and purposes.
func ExampleQuery_Draws() {
	const forNoise, forPairs = 0, 1
	q := objective.Query{Number: 7, Seed: 42, Iteration: 1, Scores: []float64{1, 1, 1}}
	noise := q.Draws(forNoise)
	for i, score := range q.Scores {
		fmt.Printf("%.4f ", score+noise.Uniform(i))
	}
	fmt.Println(q.Draws(forPairs).Uint64(0)%3, "is a document drawn at random")
	// Output:
	// 1.1310 1.3607 1.1431 0 is a document drawn at random
}
