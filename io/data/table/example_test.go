package table_test

import (
	"context"
	"fmt"
	"log"

	"github.com/lambdamart/lambdamart/io/data/table"
)

func Example() {
	t, err := table.Open("testdata/parts", table.Options{Columns: table.DefaultColumns()})
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()
	rows, missing := 0, 0
	err = t.Rows(context.Background(), func(b *table.Batch) error {
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
