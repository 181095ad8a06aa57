package judging

import (
	"testing"

	"github.com/lambdamart/lambdamart/evaluate"
	"github.com/stretchr/testify/assert"
)

// TestFindingOfPairs: there are no others if all pairs differ.
func TestFindingOfPairs(t *testing.T) {
	c := comparison{Comparison: &evaluate.Comparison{}}
	c.Pairs = make([]evaluate.Pair, 2)
	assert.NotContains(t, c.finding(), "The others")
	c.Pairs[1].Holm.Randomization = 0.5
	assert.Contains(t, c.finding(), "1 of 2 pairs differs")
	assert.Contains(t, c.finding(), "The others are not proven to differ.")
}
