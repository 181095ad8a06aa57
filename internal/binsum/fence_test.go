//go:build linux

package binsum

import (
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/test/aid"
)

// fenced returns memory for n values between inaccessible pages. The values are at the end or at the
// beginning of the accessible memory.
func fenced[T any](t *testing.T, n int, atEnd bool) []T {
	pages := aid.GuardedPages(t, 8)
	var one T
	memory := unsafe.Slice((*T)(unsafe.Pointer(&pages[0])), len(pages)/int(unsafe.Sizeof(one)))
	if atEnd {
		memory = memory[len(memory)-n:]
	}
	return memory[:n:n]
}

func TestBuildStaysWithinItsSlices(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	rng := rand.New(rand.NewPCG(14, 14))
	for _, atEnd := range []bool{false, true} {
		for _, rows := range []int{1, 2, 60} {
			x := randomRows(rng, rows, 11)
			bins := fenced[uint8](t, len(x.bins), atEnd)
			copy(bins, x.bins)
			x.bins = bins
			values, order := fenced[int64](t, rows, atEnd), fenced[int32](t, rows, atEnd)
			copy(values, randomValues(rng, rows))
			copy(order, firstRows(rng, rows, rows))
			for _, part := range x.allParts() {
				tiles := fenced[Tile](t, part.size(), atEnd)
				want := make([]Tile, part.size())
				x.buildNaive(want, part, order, values)
				require.NotPanics(t, func() {
					b := &Batch{bins: fenced[uint8](t, rows*x.stride, atEnd), values: fenced[int64](t, rows, atEnd)}
					b.Take(x, order, part.group(), x.numTiles(), values)
					b.Build(tiles, part)
				})
				require.Equal(t, want, tiles)
			}
		}
	}
}

func TestMoveStaysWithinItsSlices(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	rng := rand.New(rand.NewPCG(15, 15))
	for _, atEnd := range []bool{false, true} {
		dst, parent, tile := fenced[int64](t, 256, atEnd), fenced[int64](t, 256, atEnd),
			fenced[Tile](t, 1, atEnd)
		for n := range 256 {
			d, p := dst[:n:n], parent[:n:n]
			if atEnd {
				d, p = dst[256-n:], parent[256-n:]
			}
			sums := randomValues(rng, n)
			others := randomValues(rng, n)
			copy(p, others)
			copy(tile[0][:], sums)
			require.NotPanics(t, func() { move(d, p, &tile[0]) })
			subtract(others, sums)
			require.Equal(t, Tile{}, tile[0])
			require.True(t, slices.Equal(sums, d) && slices.Equal(others, p), "%d sums", n)
		}
	}
}

func TestPartitionStaysWithinItsSlices(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	rng := rand.New(rand.NewPCG(16, 16))
	for _, atEnd := range []bool{false, true} {
		for _, n := range []int{4, 16, 36, 64} { // planes begin at words
			bins, rows, spare := fenced[uint8](t, n, atEnd), fenced[int32](t, n, atEnd), fenced[int32](t, n, atEnd)
			for last := range 4 {
				copy(rows, firstRows(rng, n, n))
				for i := range bins {
					bins[i] = uint8(rng.IntN(4))
				}
				p := &plane[uint8]{bins, 0, 3}
				left := 0
				require.NotPanics(t, func() {
					left = p.Partition(rows, spare, Cut{Last: uint16(last), Exception: NoBin})
				})
				for i, r := range append(slices.Clone(rows[:left]), spare[:n-left]...) {
					require.Equal(t, i < left, int(bins[r]) <= last)
				}
			}
		}
	}
}
