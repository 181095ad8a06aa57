package querycontext_test

import (
	"fmt"

	"github.com/lambdamart/lambdamart/internal/querycontext"
)

func ExampleKind_Append() {
	prices := []float64{20, 10, 40, 20} // of the documents of a query
	fmt.Println(querycontext.Rank.Append(nil, prices))
	fmt.Println(querycontext.GapToBest.Append(nil, prices))
	// Output:
	// [0.5 0.125 0.875 0.5] <nil>
	// [20 30 0 20] <nil>
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
