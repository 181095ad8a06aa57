package binned

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/querycontext"
)

func TestContextOfNumbers(t *testing.T) {
	c := &querycontext.Columns{Raw: 3}
	for _, kind := range querycontext.Kinds() {
		c.List = append(c.List, querycontext.Column{Kind: kind})
	}
	c.List = append(c.List, querycontext.Column{Kind: querycontext.Rank, Feature: 2})
	var numbers []uint64
	for _, n := range c.Numbers() {
		numbers = append(numbers, uint64(n))
	}
	back, err := contextOf(numbers)
	require.NoError(t, err)
	assert.Equal(t, c, back)
	for _, bad := range [][]uint64{{3}, {3, 0}, {3, 6, 0}, {3, 0, 3}, {3, 0, math.MaxUint64}} {
		_, err := contextOf(bad)
		assert.Error(t, err, bad)
	}
}
