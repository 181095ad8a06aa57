package scored_test

import (
	"context"
	"fmt"
	"log"

	"github.com/lambdamart/lambdamart/io/data/scored"
)

func Example() {
	t, err := scored.Open("../table/testdata/parts", scored.Options{Columns: scored.DefaultColumns()})
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()
	rows, missing := 0, 0
	err = t.Rows(context.Background(), func(b *scored.Batch) error {
		rows += len(b.Query)
		missing += b.MissingScores
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(rows, "rows,", missing, "without a score")
	// Output: 500 rows, 9 without a score
}
