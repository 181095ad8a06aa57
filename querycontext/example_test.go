package querycontext_test

import (
	"fmt"

	"github.com/lambdamart/lambdamart/querycontext"
)

func ExampleKind_Append() {
	prices := []float64{20, 10, 40, 20} // of the documents of a query
	fmt.Println(querycontext.Rank.Append(nil, prices))
	fmt.Println(querycontext.GapToBest.Append(nil, prices))
	// Output:
	// [0.5 0.125 0.875 0.5]
	// [20 30 0 20]
}
