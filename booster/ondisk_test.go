package booster

import (
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/histogram"
)

// onDisk makes data read its rows as from a file, in pieces that are overwritten after use. It returns a
// counter of the bytes read.
func onDisk(t testing.TB, data []Data) *atomic.Int64 {
	t.Helper()
	read := new(atomic.Int64)
	for i, d := range data {
		raw := d.Values.Raw()
		raw.Read = func(bytes []byte, unit int, use func(piece []byte)) {
			for piece := range slices.Chunk(bytes, 100*unit) {
				read.Add(int64(len(piece)))
				lent := slices.Clone(piece)
				use(lent)
				clear(lent)
			}
		}
		var err error
		data[i].Values, err = histogram.FromRaw(d.Values.Mapper, raw, 1)
		require.NoError(t, err)
	}
	read.Store(0)
	return read
}
