package engine

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/tree"
)

// edges returns thresholds at which float32 and float64 differ, and their neighbors.
func edges() []float64 {
	zero32 := float64(float32(1e-35))
	list := []float64{
		0, math.Copysign(0, -1), 1, 0.1, float64(float32(0.1)), 100, 16, 1e-6, float64(float32(1e-6)), 3e-7, 1e-30,
		0x1p-19,
		zero32, 1e-35, 1.0000000180025095e-35, // LightGBM's "zero or less"
		math.SmallestNonzeroFloat64, math.SmallestNonzeroFloat32, 1e-40,
		math.MaxFloat32, math.MaxFloat64, 3.4028235677973366e38, // half an ulp above MaxFloat32: rounds to +Inf
		math.Inf(1),
	}
	for _, t := range list {
		list = append(list, math.Nextafter(t, 0), math.Nextafter(t, math.Inf(1)))
	}
	for _, t := range list {
		list = append(list, -t)
	}
	return list
}

func random(rng *rand.Rand) float64 {
	switch rng.IntN(4) {
	case 0:
		return float64(math.Float32frombits(rng.Uint32() &^ (1 << 23))) // never NaN
	case 1:
		return rng.NormFloat64() * math.Pow(2, float64(rng.IntN(60)-40))
	case 2:
		return math.Round(rng.NormFloat64()*100) / 10
	}
	return math.Float64frombits(rng.Uint64() &^ (1 << 52)) // never NaN
}

func thresholds(n int) []float64 {
	rng := rand.New(rand.NewPCG(1, 2))
	list := edges()
	for range n {
		list = append(list, random(rng))
	}
	return list
}

// around returns float32 values that a wrong conversion would send to the wrong side: values near t, and some
// random ones.
func around(t float64) []float32 {
	rng := rand.New(rand.NewPCG(3, math.Float64bits(t)))
	list := []float32{0, float32(math.Copysign(0, -1)), inf(1), inf(-1), math.MaxFloat32, -math.MaxFloat32,
		math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32}
	below, above := float32(t), float32(t)
	for range 6 {
		list = append(list, below, above)
		below, above = next32(below, -1), next32(above, 1)
	}
	for range 10 {
		list = append(list, float32(random(rng)))
	}
	return list
}

func TestEveryFloat32GoesTheSameWay(t *testing.T) {
	for _, cut := range thresholds(8_000) {
		f := AtMost(cut)
		c, ok := Below(cut)
		require.Equal(t, !math.IsInf(cut, 1), ok, "%v", cut)
		y, slackOK := Slack(cut)
		for _, x := range around(cut) {
			left := float64(x) <= cut
			require.Equal(t, left, x <= f, "%v <= %v", x, cut)
			if ok {
				require.Equal(t, left, x < c, "%v < %v", x, cut)
			}
			if slackOK {
				require.Equal(t, left, x <= y+slack, "%v <= %v with slack", x, cut)
			}
		}
	}
}

// TestSlackIsTheNearest compares y with its float32 neighbors: if no y splits exactly at t, neither neighbor
// splits nearer to t.
func TestSlackIsTheNearest(t *testing.T) {
	failed := 0
	for _, cut := range thresholds(8_000) {
		y, ok := Slack(cut)
		f := AtMost(cut)
		require.Equal(t, ok, SlackCut(y) == f, "%v", cut)
		if ok {
			continue
		}
		failed++
		require.Equal(t, 0 <= cut, 0 <= SlackCut(y), "%v: zeros", cut)
		distance := math.Abs(float64(SlackCut(y)) - cut)
		for _, other := range []float32{next32(y, -1), next32(y, 1)} {
			require.NotEqual(t, f, SlackCut(other), "%v", cut)
			if cut < 0 && SlackCut(other) >= 0 {
				continue
			}
			require.LessOrEqual(t, distance, math.Abs(float64(SlackCut(other))-cut), "%v: %v beside %v", cut, other, y)
		}
	}
	assert.Positive(t, failed)
}

// TestMissing compares with a tree of a single split, for all combinations of options.
func TestMissing(t *testing.T) {
	for _, decision := range []tree.Decision{
		tree.MissingNone, tree.MissingZero, tree.MissingNaN,
		tree.MissingNone | tree.DefaultLeft, tree.MissingZero | tree.DefaultLeft,
		tree.MissingNaN | tree.DefaultLeft,
	} {
		for _, cut := range thresholds(300) {
			left := goesLeft(decision, cut)
			nan := math.NaN()
			assert.Equal(t, left(nan), NaNLeft(decision, cut), "%d %v", decision, cut)
			assert.Equal(t, left(nan) == left(0), NaNIsZero(decision, cut), "%d %v", decision, cut)
			assert.Equal(t, isPlain(left, cut), IsPlain(decision, cut), "%d %v", decision, cut)
		}
	}
}

// isPlain tests values at both ends of the range that counts as zero.
func isPlain(left func(float64) bool, cut float64) bool {
	const zero = tree.ZeroThreshold
	for _, x := range []float64{-zero, 0, zero, math.Nextafter(zero, 1), math.Nextafter(-zero, -1), cut,
		math.Nextafter(cut, 1), math.Nextafter(cut, -1)} {
		if left(x) != (x <= cut) {
			return false
		}
	}
	return true
}

func goesLeft(decision tree.Decision, cut float64) func(x float64) bool {
	stump := tree.Tree{
		Feature: []int32{0}, Threshold: []float64{cut}, Decision: []tree.Decision{decision},
		Left: []int32{^0}, Right: []int32{^1}, LeafValue: []float64{0, 1},
	}
	return func(x float64) bool { return stump.Leaf([]float64{x}) == 0 }
}

// TestRoundedCutsWhereRoundingDoes: the threshold and its neighbors go to the same side as the float32 to
// which they are rounded. Rounding is monotone, so all other values do, too.
func TestRoundedCutsWhereRoundingDoes(t *testing.T) {
	for _, cut := range append(thresholds(20_000), math.MaxFloat32, -math.MaxFloat32,
		math.Inf(1), math.Inf(-1)) {
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
