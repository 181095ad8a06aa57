package study

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAllPairsInWords(t *testing.T) {
	assert.Equal(t, "the pair", allPairs(1))
	assert.Equal(t, "all 3 pairs", allPairs(3))
}
