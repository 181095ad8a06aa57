package explain_test

import (
	"context"
	"fmt"
	"log"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/explain"
	"github.com/lambdamart/lambdamart/tree"
)

// A model of one tree: documents with more than 5 clicks score 2, others -1.
func Example() {
	m := &tree.Ensemble{
		Features: []tree.Feature{{Name: "bm25"}, {Name: "clicks"}},
		Trees: []tree.Tree{{
			Feature: []int32{1}, Threshold: []float64{5}, Decision: []tree.Decision{tree.MissingNone}, Gain: []float64{1},
			Left: []int32{^int32(0)}, Right: []int32{^int32(1)}, InternalCount: []int64{30},
			LeafValue: []float64{-1, 2}, LeafCount: []int64{20, 10},
		}},
	}
	src, err := dataset.NewDense(dataset.Meta{
		Queries:  []dataset.Query{{ID: "red shoes", Len: 2}},
		Labels:   []float64{1, 0},
		Docs:     []string{"sneaker", "boot"},
		Features: []string{"bm25", "clicks"},
	}, []float64{0.9, 3, 0.4, 12})
	if err != nil {
		log.Fatal(err)
	}
	o := explain.DefaultOptions()
	o.Query = "red shoes"
	d, err := explain.Load(context.Background(), src, m, o)
	if err != nil {
		log.Fatal(err)
	}
	p, err := d.Pair(0, "boot", "sneaker")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("difference", p.Difference, "by", p.Shares[0].Feature, p.Shares[0].Share)
	for _, c := range p.Changes {
		fmt.Println(c.Document, c.Feature, "from", c.From, "to", c.To)
	}
	// Output:
	// difference 3 by clicks 3
}
