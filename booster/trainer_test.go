package booster

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lambdamart/lambdamart/dataset"
)

// TestLongQueriesAreTakenFirst: with 1,280 rows and two workers, a query is long above 10 rows, 1/128 of
// all. Short ones are batched up to that.
func TestLongQueriesAreTakenFirst(t *testing.T) {
	data := &dataset.Meta{Labels: make([]float64, 1280)}
	for _, n := range []int{3, 10, 11, 900, 1, 11, 344} {
		data.Queries = append(data.Queries, dataset.Query{Len: n})
	}
	assert.Equal(t, [][]int{{3}, {6}, {2}, {5}, {0, 1}, {4}}, queryBatches(data, nil, 2))
	assert.Equal(t, [][]int{{3}, {6}, {0, 1, 2}, {4, 5}}, queryBatches(data, nil, 1), "20 rows")
}
