package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lambdamart/lambdamart/dataset"
)

// TestDescribe expects figures that were counted by hand.
func TestDescribe(t *testing.T) {
	m := dataset.Meta{
		Queries: []dataset.Query{{First: 0, Len: 3}, {First: 3, Len: 1}, {First: 4, Len: 2},
			{First: 6, Len: 2}},
		Labels:       []float64{0, 2, 0.5, 2, 0, 0, -1, 0},
		Features:     make([]string, 7),
		EmptyQueries: 9,
	}
	assert.Equal(t, DataEvent{Set: "a", Path: "b", Rows: 8, Queries: 4, Features: 7, Documents: [3]int{1, 2, 3},
		Labels: []LabelCount{{-1, 1}, {0, 4}, {0.5, 1}, {2, 2}}, QueriesWithoutPairs: 2, EmptyQueries: 9},
		describe("a", "b", &m, 0))
	assert.Zero(t, describe("", "", &dataset.Meta{}, 0).Documents)
}
