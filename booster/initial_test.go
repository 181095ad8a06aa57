package booster

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestInitialScoresContinue: training that starts from the scores of a model's first trees grows the
// model's
// other trees. All rows are active, so that no draw depends on the iteration.
func TestInitialScoresContinue(t *testing.T) {
	p := smallParams()
	p.ActiveFraction = 1
	p.NumIterations = 8
	train := randomTable(5, 400)
	whole := fit(t, p, train).Model.Trees
	const begun = 3
	scores := make([]float64, len(train.values))
	for row, values := range train.values {
		for i := range begun {
			scores[row] += whole[i].LeafValue[whole[i].Leaf(values)]
		}
	}
	train.meta.InitialScores = scores
	p.NumIterations -= begun
	rest := fit(t, p, train).Model.Trees
	require.Len(t, rest, len(whole)-begun)
	for i := range rest {
		assert.Equal(t, whole[begun+i].Feature, rest[i].Feature)
		assert.Equal(t, whole[begun+i].Threshold, rest[i].Threshold)
		assert.Equal(t, whole[begun+i].LeafValue, rest[i].LeafValue)
	}
}
