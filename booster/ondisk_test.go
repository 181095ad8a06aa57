package booster

import (
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRowsOnDiskDoNotChangeTheModel: a training that reads rows from a file, with fewer copies of them in
// memory, gives the same bytes of the model, however columns are stored, by any number of threads. Passes
// read nothing but what the reader gives them.
func TestRowsOnDiskDoNotChangeTheModel(t *testing.T) {
	all := layoutSettings()
	all["few rows"] = func(p *Params) { p.ActiveFraction = 0.2 }
	all["few counted rows"] = func(p *Params) {
		p.ActiveFraction, p.MinDataInLeaf, p.MinSumHessianInLeaf = 0.3,
			120, 0
	}
	for name, set := range all {
		t.Run(name, func(t *testing.T) {
			p, tables, narrow, want := layoutCase(t, set)
			for _, data := range [][]Data{narrow, asWide(t, narrow, tables...),
				asSparse(t, narrow, someSparse["second"], tables...)} {
				read := onDisk(data)
				for _, p.NumThreads = range []int{1, 2, 7} {
					require.True(t, want == trained(t, p, data), "%d threads", p.NumThreads)
				}
				if p.ActiveFraction > 0 && p.ActiveFraction < 1 {
					passes := 3 * p.NumIterations * len(data[0].Values.Raw())
					assert.Greater(t, read.Load(), int64(passes), "bytes")
				}
			}
		})
	}
}

// onDisk makes the rows of data those of a file, of which pieces are copied that do not last, and returns the
// number of bytes that are read.
func onDisk(data []Data) *atomic.Int64 {
	read := new(atomic.Int64)
	for _, d := range data {
		d.Values.ReadBy(func(bytes []byte, unit int, use func(piece []byte)) {
			for piece := range slices.Chunk(bytes, 100*unit) {
				read.Add(int64(len(piece)))
				lent := slices.Clone(piece)
				use(lent)
				clear(lent)
			}
		})
	}
	return read
}
