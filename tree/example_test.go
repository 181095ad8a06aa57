package tree_test

import (
	"cmp"
	"fmt"
	"log"
	"slices"

	"github.com/lambdamart/lambdamart/io/model/lightgbm"
	"github.com/lambdamart/lambdamart/tree"
)

// A search server loads a model once, and ranks the documents of each query.
func Example() {
	model, err := lightgbm.ReadFile("../io/model/lightgbm/testdata/lambdarank.txt")
	if err != nil {
		log.Fatal(err)
	}
	scorer, err := tree.Compile(model)
	if err != nil {
		log.Fatal(err)
	}

	documents := []string{"apples", "pears", "plums"}
	rows := []float64{ // one row of scorer.NumFeatures() values for each document
		0.3, -1.2, 2, 0, 17, 1.5,
		1.8, 0.7, -1, 0, 4, 1.5,
		-0.9, 0.1, 0, 1.1, 33, 1.5,
	}
	scores := make([]float64, len(documents))
	if err := scorer.Score(scores, rows); err != nil {
		log.Fatal(err)
	}

	order := []int{0, 1, 2}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	for _, i := range order {
		fmt.Printf("%-7s %+.4f\n", documents[i], scores[i])
	}
	// LightGBM 4.7.0 gives 0.67914049, -0.06078788 and -0.6374917.

	// Output:
	// pears   +0.6791
	// apples  -0.0608
	// plums   -0.6375
}
