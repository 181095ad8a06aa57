package train

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lambdamart/lambdamart/dataset"
)

// TestContradictions: a pair that is given twice, or both ways, counts once.
func TestContradictions(t *testing.T) {
	m := &dataset.Meta{Pairs: []dataset.Pair{{Query: 0, Better: 0, Worse: 2}, {Query: 0, Better: 0, Worse: 2},
		{Query: 0, Better: 1, Worse: 2}, {Query: 0, Better: 2, Worse: 0}, {Query: 1, Better: 2, Worse: 1}}}
	assert.Equal(t, 1, contradictions(m))
}
