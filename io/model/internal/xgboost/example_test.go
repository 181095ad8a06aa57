package xgboost_test

import (
	"fmt"
	"log"
	"os"

	"github.com/lambdamart/lambdamart/io/model/internal/xgboost"
	"github.com/lambdamart/lambdamart/tree"
)

// A model with one split, as Elasticsearch and OpenSearch load it.
func ExampleWrite() {
	e := &tree.Ensemble{
		Features: []tree.Feature{{Name: "title"}, {Name: "age"}},
		Trees: []tree.Tree{{
			Feature: []int32{1}, Threshold: []float64{0.1}, Decision: []tree.Decision{tree.MissingNaN}, Gain: []float64{1},
			Left: []int32{^0}, Right: []int32{^1}, InternalValue: []float64{0}, InternalWeight: []float64{3}, InternalCount: []int64{3},
			LeafValue: []float64{-0.5, 0.25}, LeafWeight: []float64{1, 2}, LeafCount: []int64{1, 2}, Shrinkage: 1,
		}},
	}
	if err := xgboost.Write(os.Stdout, e, xgboost.Options{Form: xgboost.Dump}); err != nil {
		log.Fatal(err)
	}
	// 0.1 lies between two float32: values below the upper one go left.
	fmt.Println(float32(0.1))
	// Output:
	// [
	// {"nodeid":0,"depth":0,"split":"age","split_condition":0.1,"yes":1,"no":2,"missing":2,"children":[{"nodeid":1,"leaf":-0.5},{"nodeid":2,"leaf":0.25}]}]
	// 0.1
}
