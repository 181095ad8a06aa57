package threshold

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRoundedCutsWhereRoundingDoes: the threshold and its neighbors go to the same side as the float32 to
// which they are rounded. Rounding is monotone, so all other values do, too.
func TestRoundedCutsWhereRoundingDoes(t *testing.T) {
	for _, cut := range append(thresholds(20_000), math.MaxFloat32, -math.MaxFloat32, math.Inf(1), math.Inf(-1)) {
		f := float32(cut)
		rounded := Rounded(f)
		require.Equal(t, f, AtMost(rounded))
		list := []float64{rounded, math.Nextafter(rounded, math.Inf(1)), math.Nextafter(rounded, math.Inf(-1)), cut}
		for _, x := range around(cut) {
			list = append(list, float64(x))
		}
		for _, x := range list {
			require.Equal(t, float32(x) <= f, x <= rounded, "%v beside %v", x, f)
		}
	}
}
