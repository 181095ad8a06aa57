package scoring_test

import (
	"context"
	"fmt"
	"os"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/scoring"
	"github.com/lambdamart/lambdamart/tree"
)

// model returns one tree with two leaves: -1 if stars <= 3, else 1.
func model() *tree.Ensemble {
	return &tree.Ensemble{
		Trees: []tree.Tree{{
			Feature: []int32{1}, Threshold: []float64{3}, Decision: []tree.Decision{tree.MissingNone},
			Left: []int32{^int32(0)}, Right: []int32{^int32(1)}, LeafValue: []float64{-1, 1},
			InternalCount: []int64{20}, LeafCount: []int64{10, 10}, Gain: []float64{5},
			InternalValue: []float64{0}, InternalWeight: []float64{20}, LeafWeight: []float64{10, 10},
		}},
		Features: []tree.Feature{{Name: "price"}, {Name: "stars"}},
	}
}

// Score a matrix in memory with a compiled model.
func ExampleScores() {
	data, err := dataset.NewDense(dataset.Meta{
		Queries: []dataset.Query{{ID: "shoes", Len: 3}},
		Labels:  make([]float64, 3), // labels are required, but not used
	}, []float64{
		80, 5,
		30, 2,
		55, 4,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	scorer, err := tree.Compile(model())
	if err != nil {
		fmt.Println(err)
		return
	}
	scored, err := scoring.Scores(scorer).All(context.Background(), data)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(scored.Numbers)
	if _, err := scoring.WriteRun(context.Background(), os.Stdout, data, scorer, "mine"); err != nil {
		fmt.Println(err)
	}
	// Output:
	// [1 -1 1]
	// shoes Q0 1 1 1 mine
	// shoes Q0 3 2 1 mine
	// shoes Q0 2 3 -1 mine
}

// Price contributes nothing; the last number is the mean score of the training data.
func ExampleContributions() {
	data, err := dataset.NewDense(dataset.Meta{Queries: []dataset.Query{{ID: "shoes", Len: 1}},
		Labels: make([]float64, 1)}, []float64{80, 5})
	if err != nil {
		fmt.Println(err)
		return
	}
	scored, err := scoring.Contributions(model()).All(context.Background(), data)
	fmt.Println(scored.Numbers, err)
	// Output: [0 1 0] <nil>
}
