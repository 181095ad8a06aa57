package dataset_test

import (
	"context"
	"fmt"
	"log"

	"github.com/lambdamart/lambdamart/dataset"
)

// Two queries of three and two documents, with two features each.
func ExampleFromRows() {
	rows := [][]float64{
		{0.9, 12}, {0.4, 3}, {0.1, 7}, // the first query
		{0.7, 5}, {0.2, 8}, // the second one
	}
	grades := []float64{2, 1, 0, 1, 0}
	d, err := dataset.FromRows(rows, grades, []int{3, 2})
	if err != nil {
		log.Fatal(err)
	}
	meta, err := dataset.Scan(context.Background(), d, nil, func(_ int, row dataset.Row) error { return nil })
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(meta.NumRows(), "rows in", len(meta.Queries), "queries, features", meta.Features)
	// Output: 5 rows in 2 queries, features [Column_0 Column_1]
}

// Features in one slice, with names, and documents with different weights.
func ExampleNewDense() {
	d, err := dataset.NewDense(dataset.Meta{
		Queries:  []dataset.Query{{ID: "red shoes", First: 0, Len: 2}, {ID: "socks", First: 2, Len: 1}},
		Labels:   []float64{1, 0, 2},
		Weights:  []float64{1, 1, 0.5},
		Features: []string{"bm25", "clicks"},
	}, []float64{
		0.9, 12,
		0.4, 3,
		0.7, 5,
	})
	if err != nil {
		log.Fatal(err)
	}
	printBlock := func(b *dataset.Block) error {
		for _, q := range b.Queries {
			for row := q.First; row < q.First+q.Len; row++ {
				fmt.Println(q.ID, b.Labels[row-b.FirstRow], b.Rows[row-b.FirstRow].Value)
			}
		}
		return nil
	}
	nothing := func(int, *dataset.Block) error { return nil }
	if err := dataset.Stream(context.Background(), d, nothing, printBlock); err != nil {
		log.Fatal(err)
	}
	// Output:
	// red shoes 1 [0.9 12]
	// red shoes 0 [0.4 3]
	// socks 2 [0.7 5]
}
