package explain_test

import (
	"context"
	"fmt"
	"log"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/explain"
	"github.com/lambdamart/lambdamart/tree"
)

// Explain why one document is ranked above another.
func Example() {
	o := explain.DefaultOptions()
	o.Query = "red shoes"
	d, err := explain.Load(context.Background(), shoes(), clicked, o)
	if err != nil {
		log.Fatal(err)
	}
	p, err := d.Pair(0, "boot", "sneaker")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("difference", p.Difference, "by", p.Shares[0].Feature, p.Shares[0].Share)
	// Output: difference 3 by clicks 3
}

// clicked is a model of one tree: documents with more than 5 clicks score 2, others -1.
var clicked = &tree.Ensemble{
	Features: []tree.Feature{{Name: "bm25"}, {Name: "clicks"}},
	Trees: []tree.Tree{{
		Feature: []int32{1}, Threshold: []float64{5}, Decision: []tree.Decision{tree.MissingNone},
		Gain: []float64{1},
		Left: []int32{^int32(0)}, Right: []int32{^int32(1)}, InternalCount: []int64{30},
		LeafValue: []float64{-1, 2}, LeafCount: []int64{20, 10},
	}},
}

// shoes is the data of one query.
func shoes() dataset.Source {
	src, err := dataset.NewDense(dataset.Meta{
		Queries:  []dataset.Query{{ID: "red shoes", Len: 2}},
		Labels:   []float64{1, 0},
		Docs:     []string{"sneaker", "boot"},
		Features: []string{"bm25", "clicks"},
	}, []float64{0.9, 3, 0.4, 12})
	if err != nil {
		log.Fatal(err)
	}
	return src
}
