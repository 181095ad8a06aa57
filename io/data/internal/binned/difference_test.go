package binned

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/internal/histogram"
)

func TestDifferenceOfMappers(t *testing.T) {
	mapper := func(min float64, bounds ...float64) *histogram.Mapper {
		f, err := histogram.NewFeatureBins(histogram.FeatureBins{UpperBounds: append(bounds, math.Inf(1)),
			Missing: histogram.MissingNone, Min: min, Max: 9})
		require.NoError(t, err)
		return &histogram.Mapper{Features: []histogram.FeatureBins{f}}
	}
	a := mapper(0, 1, 2)
	assert.Empty(t, difference(a, mapper(0, 1, 2)))
	assert.Equal(t, "0 features instead of 1", difference(a, &histogram.Mapper{}))
	assert.Equal(t, "feature 0 has 2 bins instead of 3", difference(a, mapper(0, 1)))
	assert.Equal(t, "feature 0 has bin 1 up to 3 instead of 2", difference(a, mapper(0, 1, 3)))
	withNaN := mapper(0, 1, 2)
	withNaN.Features[0].Missing = histogram.MissingNaN
	assert.Equal(t, "feature 0 has missing values of type 2 instead of 0", difference(a, withNaN))
	assert.Equal(t, "feature 0 has values from 1 to 9 instead of 0 to 9", difference(a, mapper(1, 1, 2)))
}
