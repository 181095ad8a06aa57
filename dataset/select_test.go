package dataset

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSelect(t *testing.T) {
	m := &Meta{
		Queries: []Query{{"a", 0, 2}, {"b", 2, 1}, {"c", 3, 3}},
		Labels:  []float64{0, 1, 2, 3, 4, 5}, Weights: []float64{10, 11, 12, 13, 14, 15},
		Docs: []string{"0", "1", "2", "3", "4", "5"}, InitialScores: []float64{.0, .1, .2, .3, .4, .5},
		Features: []string{"x"}, LabelColumn: 7,
	}
	part := m.Select([]int{2, 0})
	require.NoError(t, part.Check())
	assert.Equal(t, &Meta{
		Whole: m, Selected: []int{2, 0},
		Queries: []Query{{"c", 0, 3}, {"a", 3, 2}},
		Labels:  []float64{3, 4, 5, 0, 1}, Weights: []float64{13, 14, 15, 10, 11},
		Docs: []string{"3", "4", "5", "0", "1"}, InitialScores: []float64{.3, .4, .5, .0, .1},
		Features: []string{"x"}, LabelColumn: 7,
	}, part)
	assert.Equal(t, []int{3, 4, 5, 0, 1}, m.RowsOf([]int{2, 0}))
	plain := (&Meta{Queries: m.Queries, Labels: m.Labels}).Select([]int{1})
	assert.Nil(t, plain.Weights)
	assert.Nil(t, plain.Docs)
	assert.Zero(t, m.Select(nil).NumRows())
}
