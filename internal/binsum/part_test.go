package binsum

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDivideEqualsNaive: workers that each sum their parts find the sums of some columns of any kind, and
// those of the leaf's other rows.
func TestDivideEqualsNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 19))
	const rows = 150
	for round := range 200 {
		x := randomSparse(rng, rows, 100+rng.IntN(200), 2+rng.IntN(90))
		if most := []int{0, 5, 255, 1000}[round%4]; most > 0 {
			x = randomRowsOf(rng, rows, 1+rng.IntN(60), most)
		}
		values, order := randomValues(rng, rows), firstRows(rng, rows, rows)
		all := upTo(len(x.fields))
		columns := firstRows(rng, len(all), rng.IntN(len(all)+1))
		slices.Sort(columns)
		shares, partOf := x.Divide(columns, 1+round%5)
		require.LessOrEqual(t, len(shares), 1+round%5)
		left, parent := make(Histogram, x.NumBins()), histogramOf(x, order, values)
		for _, parts := range shares {
			builder := x.NewBuilder()
			builder.Sum(x, left, parent, parts, order[:60], values, nil, nil, func(int) {})
			require.Equal(t, make([]Tile, x.stride), builder.tiles)
		}
		ofLeft, ofRight := naiveSums(x, columns, order[:60], values), naiveSums(x, columns, order[60:], values)
		for i, c := range columns {
			require.Equal(t, x.of(ofLeft, c), x.of(left, c))
			require.Equal(t, x.of(ofRight, c), x.of(parent, c))
			part := slices.Concat(shares...)[partOf[i]]
			if at := int(x.fields[c].At); x.fields[c].Sparse {
				require.True(t, part.group() <= x.Group(c) && x.Group(c) < part.End/groupSize)
			} else {
				require.True(t, part.First <= at && at < part.End)
			}
		}
	}
}

func TestDivideGivesEqualShares(t *testing.T) {
	x := randomRows(rand.New(rand.NewPCG(20, 20)), 1, 36) // a byte each, and so nine halves of groups
	for workers, want := range map[int][][]Part{
		1: {{{0, 8}, {8, 16}, {16, 24}, {24, 36}}},
		2: {{{0, 8}, {8, 16}}, {{16, 24}, {24, 36}}},
		3: {{{0, 12}}, {{12, 24}}, {{24, 36}}},
		6: {{{0, 4}}, {{4, 12}}, {{12, 16}}, {{16, 24}}, {{24, 28}}, {{28, 36}}},
	} {
		shares, _ := x.Divide(upTo(36), workers)
		assert.Equal(t, want, shares)
	}
	shares, partOf := x.Divide([]int32{1, 3, 8, 35}, 1)
	assert.Len(t, partOf, 4)
	assert.Len(t, shares, 1)
	shares, _ = x.Divide(nil, 2)
	assert.Empty(t, shares)
}
