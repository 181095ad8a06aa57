package judgments_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/lambdamart/lambdamart/internal/judgments"
	"github.com/lambdamart/lambdamart/internal/judgments/clicks"
	"github.com/lambdamart/lambdamart/internal/judgments/featurelog"
)

// Logged features and judgments become data to train on.
func ExampleJoin() {
	log, err := featurelog.Read(strings.NewReader(
		`{"qid": "7", "hits": {"hits": [{"_id": "d1", "fields": {"_ltrlog": [{"main": [{"name": "title", "value": 9.5}]}]}}]}}`),
		"logged.jsonl", featurelog.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	grades, err := judgments.Read(strings.NewReader("qid,docid,grade\n7,d1,3\n7,d2,0\n"), "judged.csv")
	if err != nil {
		fmt.Println(err)
		return
	}
	joined, err := judgments.Join(log, grades, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(joined.Rows, joined.Unlogged, joined.Example, log.Features)
	// Output: 1 1 query 7, document d2 [title]
}

// Clicks become grades: documents that were shown lower are judged by those who looked there.
func ExampleRead() {
	log, err := clicks.Read(strings.NewReader("query,doc,position,clicks,impressions\n7,d1,1,50,100\n7,d2,1,40,100\n7,d2,2,20,100\n7,d3,2,20,100\n"), "clicks.csv", ',')
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := log.PositionBased(context.Background(), 0.001)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range result.Positions {
		fmt.Printf("position %d: %.2f\n", p.Position, p.Value)
	}
	for _, d := range result.Documents {
		fmt.Printf("%s: %.2f\n", d.Document, d.Value)
	}
	// Output:
	// position 1: 1.00
	// position 2: 0.50
	// d1: 0.50
	// d2: 0.40
	// d3: 0.40
}
