package histogram

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
)

// TestColumnsAreFilledAsRows: binning rows feature by feature, in assembly or not, gives the same bins as
// binning row by row, also for values at and beside the bounds.
func TestColumnsAreFilledAsRows(t *testing.T) {
	defer func(has bool) { hasKernel = has }(hasKernel)
	rng := rand.New(rand.NewPCG(9, 10))
	const features, rows = 60, 100
	for range 20 {
		first := rng.IntN(features / 2)
		m := &Mapper{Features: make([]FeatureBins, features)}
		for f := range m.Features {
			b := FeatureBins{Missing: []Missing{MissingNone, MissingZero, MissingNaN}[rng.IntN(3)], Max: 100}
			for u := range 3 + rng.IntN(4) + rng.IntN(200)*rng.IntN(2) + f/50*rng.IntN(300) {
				b.UpperBounds = append(b.UpperBounds, float64(u-2)+rng.Float64()/2)
			}
			b.UpperBounds[len(b.UpperBounds)-1] = math.Inf(1)
			if rng.IntN(10) == 0 {
				b.UpperBounds, b.Max = b.UpperBounds[len(b.UpperBounds)-1:], 0
			}
			if len(b.UpperBounds) == 1 && b.Missing == MissingZero {
				b.Missing = MissingNone
			}
			if rng.IntN(10) == 0 {
				b = FeatureBins{Categories: []int32{3, 1, 2}, Max: 3}
			}
			var err error
			m.Features[f], err = NewFeatureBins(b)
			require.NoError(t, err)
		}
		all := make([]dataset.Row, rows)
		for r := range all {
			all[r].Number = r
			for f := first; f < features; f++ {
				if r >= rows/2 && r < rows/2+4 && f%3 == 0 {
					continue
				}
				bounds := m.Features[f].UpperBounds
				if m.Features[f].IsCategorical() {
					bounds = []float64{1, 2, 3}
				}
				v := valueNear(rng, bounds)
				all[r].Feature, all[r].Value = append(all[r].Feature, int32(f)), append(all[r].Value, v)
			}
		}
		alone, together := newFilling(newMatrix(m, rows), 1), newFilling(newMatrix(m, rows), 1)
		for _, row := range all {
			alone.fill(0, row)
		}
		together.fillRows(0, all)
		want := alone.finish()
		requireSame(t, want, together.finish())
		if hasKernel {
			hasKernel = false
			inGo := newFilling(newMatrix(m, rows), 1)
			inGo.fillRows(0, all)
			requireSame(t, want, inGo.finish())
			hasKernel = true
		}
	}
}
