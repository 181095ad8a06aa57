package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/io/data"
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
	text, facts := describe(&data.Set{Name: "a", Path: "b", Meta: &m})
	assert.Equal(t, "a: b: 8 rows in 4 queries of 1 to 3 documents (median 2), 7 features; read in 0.0 s\n"+
		"  labels: -1 × 1, 0 × 4, 0.5 × 1, 2 × 2; queries without pairs: 2; "+
		"queries without rows, left out: 9", text)
	assert.Equal(t, []any{"queries_without_pairs", 2, "empty_queries", 9}, facts[14:18])
	text, _ = describe(&data.Set{Meta: &dataset.Meta{}})
	assert.Contains(t, text, "0 queries of 0 to 0 documents")
	text, _ = describe(&data.Set{Name: "a", Meta: &dataset.Meta{Queries: []dataset.Query{{Len: 1}},
		Labels: []float64{0}, Features: []string{"f"}}})
	assert.Contains(t, text, "1 row in 1 query of 1 to 1 document (median 1), 1 feature; read")
	long := dataset.Meta{Queries: []dataset.Query{{Len: 1200}}, Labels: make([]float64, 1200),
		Features: make([]string, 2000)}
	text, _ = describe(&data.Set{Meta: &long})
	assert.Contains(t, text, "1,200 rows in 1 query of 1,200 to 1,200 documents (median 1,200), 2,000 features;")
}
