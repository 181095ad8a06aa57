package tree_test

import (
	"cmp"
	"fmt"
	"log"
	"slices"

	"github.com/lambdamart/lambdamart/io/model"
	"github.com/lambdamart/lambdamart/tree"
)

// A search server loads a model once, and ranks the documents of each query.
func Example() {
	ensemble, _, err := model.ReadFile("../io/model/internal/lightgbm/testdata/lambdarank.txt")
	if err != nil {
		log.Fatal(err)
	}
	scorer, err := tree.Compile(ensemble)
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

// A model of one tree: feature 0 decides at the root, feature 1 below it on the right.
//
//	price <= 10 ── yes ── leaf 0: -1    (50 rows)
//	     │
//	     no ── stars <= 3 ── yes ── leaf 1: 0.5    (30 rows)
//	                 │
//	                 no ── leaf 2: 2    (20 rows)
func priced() *tree.Ensemble {
	return &tree.Ensemble{
		Features: []tree.Feature{{Name: "price"}, {Name: "stars"}},
		Trees: []tree.Tree{{
			Feature:        []int32{0, 1},
			Threshold:      []float64{10, 3},
			Decision:       []tree.Decision{tree.MissingNone, tree.MissingNone},
			Gain:           []float64{9, 4},
			Left:           []int32{^0, ^1},
			Right:          []int32{1, ^2},
			InternalValue:  []float64{0.05, 1.1},
			InternalWeight: []float64{100, 50},
			InternalCount:  []int64{100, 50},
			LeafValue:      []float64{-1, 0.5, 2},
			LeafWeight:     []float64{50, 30, 20},
			LeafCount:      []int64{50, 30, 20},
			Shrinkage:      1,
		}},
	}
}

// Compute what each feature adds to the mean score of the training rows, for one row.
func ExampleEnsemble_Contributions() {
	model := priced()
	row := []float64{12, 5}
	score, err := model.ScoreRow(row)
	if err != nil {
		log.Fatal(err)
	}
	contributions := make([]float64, model.NumFeatures()+1)
	if err := model.Contributions(contributions, row, 1); err != nil {
		log.Fatal(err)
	}
	for i, f := range model.Features {
		fmt.Printf("%-6s %+.3f\n", f.Name, contributions[i])
	}
	fmt.Printf("mean   %+.3f\nscore  %+.3f\n", contributions[2], score)
	// Output:
	// price  +1.275
	// stars  +0.675
	// mean   +0.050
	// score  +2.000
}

// Validate finds a root that is its own descendant, so that such a tree is never walked.
func ExampleEnsemble_Validate() {
	model := priced()
	model.Trees[0].Right[1] = 0
	fmt.Println(model.Validate())
	// Output:
	// tree 0: Right[1]: node 0 has another parent, or is its own ancestor
}
