package histogram

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
)

// requirePacks packs and unpacks a row and requires the result to be equal bit for bit.
func requirePacks(t *testing.T, features []int32, values []float64) (size int) {
	t.Helper()
	packed := packedValues{kinds: []byte("before"), bytes: []byte("before")}
	packed.pack(features, values)
	var wantFeatures []int32
	var want []uint64
	for i, v := range values {
		if v != 0 {
			wantFeatures, want = append(wantFeatures, features[i]), append(want, math.Float64bits(v))
		}
	}
	padded := append(slices.Clone(packed.bytes), "\xffothers'"...) // the result must not depend on what follows
	var u unpacked
	u.unpack(packedValues{packed.kinds, padded[:len(packed.bytes)]})
	var got []uint64
	for _, v := range u.value {
		got = append(got, math.Float64bits(v))
	}
	require.Equal(t, want, got, "%v", values)
	require.Equal(t, wantFeatures, append([]int32(nil), u.feature...))
	return len(packed.kinds) + len(packed.bytes)
}

// TestPackedValues covers the limits of each width and kind, and values just beyond them.
func TestPackedValues(t *testing.T) {
	values := []float64{
		0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), math.Float64frombits(0x7ff8000000000001),
		math.SmallestNonzeroFloat64, math.MaxFloat64, -math.MaxFloat64, 1e-35, 1e-7, 0.0000005, 0.1 + 0.2, 1.0 / 3,
	}
	for bit := range 64 {
		for _, off := range []float64{-1, 0, 1} {
			n := math.Ldexp(1, bit) + off
			values = append(values, n, -n, n/1e6, -n/1e6, n+0.5)
		}
	}
	for _, v := range values {
		for _, feature := range []int32{0, 14, 15, 127, 128, 1 << 24, math.MaxInt32 - 1} {
			requirePacks(t, []int32{feature}, []float64{v})
		}
	}
	features := make([]int32, len(values))
	for i := range features {
		features[i] = int32(i * i)
	}
	requirePacks(t, features, values)
	requirePacks(t, nil, nil)
}

// TestPackedValuesAreFewBytes counts bytes for typical values of ranking data: one byte for the kind, and the
// smallest integer type that holds the value.
func TestPackedValuesAreFewBytes(t *testing.T) {
	for _, c := range []struct {
		value float64
		size  int
	}{
		{1, 2}, {127, 2}, {-128, 2}, {128, 3}, {23352, 3}, {32768, 4},
		{0.5, 1 + 3}, {0.000001, 2}, {11.963753, 1 + 4}, {-13.749515, 1 + 4}, {0.1234567, 1 + 8},
	} {
		assert.Equal(t, c.size, requirePacks(t, []int32{3}, []float64{c.value}), "%v", c.value)
	}
}

func TestRandomRowsPack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		var features []int32
		var values []float64
		for feature := int32(0); len(features) < rng.IntN(200); feature += 1 + rng.Int32N(1+rng.Int32N(300)) {
			features, values = append(features, feature), append(values, randomValue(rng))
		}
		requirePacks(t, features, values)
		requireCounts(t, features, values)
	}
}

// requireCounts counts the features of a row without its values, and compares with unpacking it.
func requireCounts(t *testing.T, features []int32, values []float64) {
	t.Helper()
	var p packedValues
	p.pack(features, values)
	var u unpacked
	u.unpack(p)
	want, counts := make([]int, 1<<16), make([]int, 1<<16)
	for _, f := range u.feature {
		want[f]++
	}
	p.countFeatures(counts)
	require.Equal(t, want, counts)
}

// randomValue draws values of all kinds.
func randomValue(rng *rand.Rand) float64 {
	switch rng.IntN(5) {
	case 0:
		return 0
	case 1:
		return float64(rng.Int64()>>rng.IntN(64)) * float64(1-2*rng.IntN(2))
	case 2:
		return float64(rng.Int64()>>rng.IntN(64)) / 1e6
	case 3:
		return rng.NormFloat64()
	}
	return math.Float64frombits(rng.Uint64())
}

// TestFullPages stores rows of 32 bytes, which would exactly fill a page, and reads them back, also after
// drop has moved them to other pages.
func TestFullPages(t *testing.T) {
	const rows = 3 * keptPage / 32
	features, values := make([]int32, 8), make([]float64, 8)
	for i := range features {
		features[i], values[i] = int32(i), float64(i+1)
	}
	var k keptRows
	for row := range rows {
		k.add(dataset.Row{Number: row, Feature: features, Value: values})
	}
	for range 2 {
		next := 0
		var u unpacked
		for _, page := range k.pages {
			eachPacked(page, func(row int, p packedValues) {
				u.unpack(p)
				require.Equal(t, next, row)
				require.Equal(t, values, u.value)
				next++
			})
		}
		require.Equal(t, rows, next)
		k.drop(func(int) bool { return true })
	}
}
