package tree_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/tree"
)

// TestPandas: each data frame's list of categories moves with its feature, and
// numeric categories stay numbers.
func TestPandas(t *testing.T) {
	e := &tree.Ensemble{
		Features:          []tree.Feature{{Name: "a"}, {Name: "b"}, {Name: "c"}},
		PandasCategorical: `[["x", "<"], [1, 2.5]]`,
		Dictionaries:      map[int][]string{0: {"x", "<"}, 2: {"1", "2.5"}},
	}
	assert.Equal(t, e.PandasCategorical, e.Pandas())
	m, err := e.Matched([]string{"c", "a"})
	require.NoError(t, err)
	assert.Equal(t, `[[1,2.5],["x","<"]]`, m.Pandas())
	assert.Equal(t, map[int][]string{0: {"1", "2.5"}, 1: {"x", "<"}}, m.Dictionaries)

	more := &tree.Ensemble{Features: e.Features, Dictionaries: map[int][]string{1: {"new"}}}
	assert.Equal(t, `[["new"]]`, more.Pandas())
	joined, err := tree.Join(e, more)
	require.NoError(t, err)
	assert.Equal(t, `[["x","<"],["new"],[1,2.5]]`, joined.Pandas())
	assert.Len(t, joined.Dictionaries, 3)
	more.Dictionaries = map[int][]string{0: {"x", "<", "y"}, 2: {"1"}}
	joined, err = tree.Join(e, more)
	require.NoError(t, err)
	assert.Equal(t, `[["x","<","y"],[1,2.5]]`, joined.Pandas(), "the longer list")
}
