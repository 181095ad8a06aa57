package vectors_test

import (
	"fmt"
	"log"

	"github.com/lambdamart/lambdamart/io/model/vectors"
	"github.com/lambdamart/lambdamart/tree"
)

func ExampleSet_Check() {
	model := &tree.Ensemble{
		Features: []tree.Feature{{Name: "title_match"}},
		Trees: []tree.Tree{{
			Feature: []int32{0}, Threshold: []float64{2.5}, Decision: []tree.Decision{tree.MissingNone},
			Left: []int32{^0}, Right: []int32{^1}, LeafValue: []float64{0, 1},
		}},
	}
	set := vectors.Generate(model, vectors.Options{Rows: 5, Seed: 1, Arithmetic: vectors.Float32, Float32: true, InOrder: true})
	report, err := set.Check(model)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Different, "of", report.Rows, "differ")
	// Output: 0 of 5 differ
}
