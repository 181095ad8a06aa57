package study

import (
	"math/rand/v2"
	"testing"

	"github.com/lambdamart/lambdamart/metric"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFactorsOfShaffer, by hand: four rankers can form one group of equals (6 equal pairs), groups of 3 and
// 1 (3), 2 and 2 (2), 2, 1 and 1 (1), or all differ (0). If one pair of three rankers differs, at most one
// other pair can be equal.
func TestFactorsOfShaffer(t *testing.T) {
	assert.Equal(t, []int{6, 3, 3, 3, 2, 1}, shafferFactors(4))
	assert.Equal(t, []int{10, 6, 6, 6, 6, 4, 4, 3, 2, 1}, shafferFactors(5))
	assert.Equal(t, []int{3, 1, 1}, shafferFactors(3))
	assert.Equal(t, []int{1}, shafferFactors(2))
	assert.Empty(t, shafferFactors(1))
}

// TestEqualPairs compares the recurrence with an enumeration of all partitions of rankers into groups.
func TestEqualPairs(t *testing.T) {
	for n := 1; n <= 12; n++ {
		want := make([]bool, pairsOf(n)+1)
		var divide func(left, most, equal int)
		divide = func(left, most, equal int) {
			if left == 0 {
				want[equal] = true
			}
			for j := 1; j <= min(left, most); j++ {
				divide(left-j, j, equal+pairsOf(j))
			}
		}
		divide(n, n, 0)
		assert.Equal(t, want, equalPairs(n), n)
	}
}

func TestShaffer(t *testing.T) {
	// By hand, with the factors 6, 3, 3, 3, 2, 1 for .004, .01, .02, .03, .04, .5.
	got, err := shaffer([]float64{0.03, 0.004, 0.5, 0.01, 0.04, 0.02})
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float64{0.09, 0.024, 0.5, 0.03, 0.09, 0.06}, got, 1e-15)
	for _, n := range []int{2, 4, 5, 7} {
		_, err := shaffer(make([]float64, n))
		assert.ErrorContains(t, err, "want one for each pair")
	}
	got, err = shaffer(nil)
	require.NoError(t, err)
	assert.Empty(t, got)
}

// TestShafferIsBetweenNoneAndHolm: corrected values are at most Holm's, and at least the uncorrected ones.
func TestShafferIsBetweenNoneAndHolm(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := 2; n < 12; n++ {
		p := make([]float64, pairsOf(n))
		for i := range p {
			p[i] = random.Float64() * random.Float64() * random.Float64()
		}
		got, err := shaffer(p)
		require.NoError(t, err)
		for i, holm := range metric.StepDown(p, nil) {
			assert.LessOrEqual(t, got[i], holm)
			assert.GreaterOrEqual(t, got[i], p[i])
		}
	}
}
