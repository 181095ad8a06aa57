package querycontext_test

import (
	"fmt"

	"github.com/lambdamart/lambdamart/internal/querycontext"
)

func ExampleFeature() {
	prices := []float64{20, 10, 40, 20} // of the documents of a query
	var f querycontext.Feature
	f.Set(prices)
	rank, gap := f.Place(querycontext.Rank), f.Place(querycontext.GapToBest)
	for _, price := range prices {
		fmt.Println(rank(price), gap(price))
	}
	// Output:
	// 0.5 20
	// 0.125 30
	// 0.875 0
	// 0.5 20
}

func ExampleParseColumns() {
	columns, err := querycontext.ParseColumns("3;rank=0,2;count", 6) // as in a model file
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(columns.Names([]string{"bm25", "stars", "price"}))
	// Output:
	// [bm25 stars price rank(bm25) rank(price) count(query)]
}
