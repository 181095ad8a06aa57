package booster

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lambdamart/lambdamart/training"
)

// liveBytes returns the bytes of memory in use.
func liveBytes() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// TestMemory: the estimate is an upper one, and not far from the memory of runs. There is no ensemble here:
// what one model allocates and drops while the collector runs for another counts as in use, more on a busy
// machine.
func TestMemory(t *testing.T) {
	for name, change := range map[string]func(*Params){
		"auto":       func(*Params) {},
		"every row":  func(p *Params) { p.ActiveFraction = 1 },
		"few rows":   func(p *Params) { p.ActiveFraction = 0.05 },
		"many nodes": func(p *Params) { p.NumLeaves = 511 },
		"xendcg":     func(p *Params) { p.Objective = "rank_xendcg" },
		"regression": func(p *Params) { p.Objective = "regression" },
		"bags":       func(p *Params) { p.BaggingFraction, p.BaggingFreq = 0.5, 1 },
		"dart":       func(p *Params) { p.Boosting, p.SkipDrop = DART, 0.1 },
		"symmetric":  func(p *Params) { p.GrowPolicy, p.NumLeaves = Symmetric, 32 },
	} {
		p := DefaultParams()
		p.NumIterations, p.NumThreads = 6, 2
		change(&p)
		const rows = 60_000
		data := binned(t, &p, randomTable(1, rows), randomTable(2, rows/10))
		before, grown := liveBytes(), 0
		_, err := Train(t.Context(), p, data[0], data[1:], Options{Options: training.Options{
			Round: func(training.Round) { grown = max(grown, liveBytes()-before) }}})
		require.NoError(t, err)
		runtime.KeepAlive(data)
		// the estimate has the data, too
		estimate := p.Memory(data[0].Values, rows/10) - (rows+rows/10)*(data[0].Values.Mapper.Bytes(1)+ofLabel)
		assert.Greater(t, estimate, grown, name)
		assert.Less(t, float64(estimate), 1.6*float64(grown), name)
	}
}
