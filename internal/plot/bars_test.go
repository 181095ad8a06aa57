package plot

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDifferenceBars: every difference is counted once, in the bar whose name contains it. Ties have their
// own bar.
func TestDifferenceBars(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, size := range []float64{1e-9, 0.29, 1, 25} {
		var differences []float64
		for range 200 {
			differences = append(differences, size*(2*random.Float64()-1), 0)
		}
		differences = append(differences, size, -size)
		bars := CountedDifferences(differences)
		require.Len(t, bars, 2*differenceParts+1)
		assert.Equal(t, 200.0, bars[differenceParts].Value, "ties")
		counted := bars[differenceParts].Value
		for i, b := range bars {
			if i == differenceParts {
				continue
			}
			var low, high float64
			_, err := fmt.Sscanf(b.Name, "%g to %g", &low, &high)
			require.NoError(t, err, b.Name)
			want := 0.0
			for _, d := range differences {
				if d > 0 && low >= 0 && d >= low && (d < high || i == 2*differenceParts && d <= high) ||
					d < 0 && high <= 0 && d <= high && (d > low || i == 0 && d >= low) {
					want++
				}
			}
			assert.Equal(t, want, b.Value, b.Name)
			counted += b.Value
		}
		assert.Equal(t, float64(len(differences)), counted)
	}
	assert.Equal(t, 3.0, CountedDifferences(make([]float64, 3))[differenceParts].Value, "nothing but ties")
}
