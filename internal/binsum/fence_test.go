package binsum

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/test/aid"
)

func TestMoveEqualsNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 15))
	dst, parent, tiles := aid.NewFence[int64](t, 256), aid.NewFence[int64](t, 256), aid.NewFence[Tile](t, 1)
	for _, atEnd := range []bool{false, true} {
		for n := range 256 {
			sums, others := randomValues(rng, n), randomValues(rng, n)
			d, p, tile := dst.Slice(n, atEnd), parent.Hold(others, atEnd), &tiles.Slice(1, atEnd)[0]
			*tile = Tile{}
			copy(tile[:], sums)
			move(d, p, tile)
			subtract(others, sums)
			require.Equal(t, Tile{}, *tile)
			require.True(t, slices.Equal(sums, d) && slices.Equal(others, p), "%d sums", n)
		}
	}
}

func TestPartitionStaysWithinItsSlices(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 16))
	planes, lists := aid.NewFence[uint8](t, 64), aid.NewFence[int32](t, 64)
	spares := aid.NewFence[int32](t, 64)
	for _, atEnd := range []bool{false, true} {
		for _, n := range []int{4, 16, 36, 64} { // planes begin at words
			bins, rows, spare := planes.Slice(n, atEnd), lists.Slice(n, atEnd), spares.Slice(n, atEnd)
			for last := range 4 {
				copy(rows, firstRows(rng, n, n))
				for i := range bins {
					bins[i] = uint8(rng.IntN(4))
				}
				p := &plane[uint8]{bins, 0, 3}
				left := p.Partition(rows, spare, Cut{Last: uint16(last), Exception: NoBin})
				for i, r := range append(slices.Clone(rows[:left]), spare[:n-left]...) {
					require.Equal(t, i < left, int(bins[r]) <= last)
				}
			}
		}
	}
}
