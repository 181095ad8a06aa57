//go:build linux

package histogram

import (
	"math"
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/test/aid"
)

// TestTilesStayWithinMemory: the values of a row, the bytes of a tile and the key table at the end of
// accessible memory.
func TestTilesStayWithinMemory(t *testing.T) {
	if !hasKernel {
		t.Skip("there is no assembly")
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	end := func(bytes uintptr) unsafe.Pointer {
		pages := aid.GuardedPages(t, 3)
		return unsafe.Pointer(&pages[uintptr(len(pages))-bytes])
	}
	f, err := NewFeatureBins(FeatureBins{UpperBounds: []float64{-1, 0.5, 2, math.Inf(1)}, Max: 3})
	require.NoError(t, err)
	table := (*keyTable)(end(unsafe.Sizeof(keyTable{})))
	*table = *newKeyTable(&f)
	for _, n := range []int{1, 7, 8, 9, 17} {
		m := &Mapper{Features: make([]FeatureBins, n)}
		for i := range m.Features {
			m.Features[i] = f
		}
		x := newMatrix(m, 1)
		tile := &newTiles(x, [][]int64{make([]int64, n)})[0]
		tile.bytes = unsafe.Slice((*uint8)(end(uintptr(x.Stride*mostAlike))), x.Stride*mostAlike)
		for c := range tile.tables {
			tile.tables[c] = table
		}
		row := dataset.Row{Feature: make([]int32, n), Value: unsafe.Slice((*float64)(end(uintptr(8*n))), n)}
		for i := range row.Feature {
			row.Feature[i], row.Value[i] = int32(i), float64(i)
		}
		require.NotPanics(t, func() { tile.fill([]dataset.Row{row}) })
		for c := range x.Columns {
			require.Equal(t, f.Bin(row.Value[c]), x.At(0, int32(c)))
		}
	}
}
