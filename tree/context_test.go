package tree

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/querycontext"
)

func TestValidateContext(t *testing.T) {
	column := querycontext.Column{Kind: querycontext.Rank}
	e := &Ensemble{Trees: []Tree{*threeLeaves()}, Features: []Feature{{Name: "price"}, {Name: "rank(price)"}}}
	e.Context = &querycontext.Columns{Raw: 1, List: []querycontext.Column{column}}
	require.NoError(t, e.Validate())
	assert.Equal(t, e.Context, e.Part(0, 1).QueryContext(), "a part has the context of the whole")
	assert.Nil(t, e.Precomputed().Context)
	s, err := Compile(e)
	require.NoError(t, err)
	assert.Equal(t, e.Context, s.QueryContext())
	for _, c := range []*querycontext.Columns{
		{Raw: 2, List: []querycontext.Column{column}},
		{Raw: 1},
		{Raw: 1, List: []querycontext.Column{{Kind: querycontext.Rank, Feature: 1}}},
	} {
		e.Context = c
		var invalid *InvalidError
		require.ErrorAs(t, e.Validate(), &invalid)
		assert.Equal(t, "Context", invalid.Field)
	}
}
