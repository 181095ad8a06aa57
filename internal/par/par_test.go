package par

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEachTaskRunsOnce(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		p := New(workers)
		for _, n := range []int{0, 1, 2, 3, 100} {
			counts := make([]atomic.Int32, n)
			p.Run(n, func(worker, i int) {
				assert.Less(t, worker, workers)
				counts[i].Add(1)
			})
			for i := range counts {
				assert.EqualValues(t, 1, counts[i].Load(), "task %d of %d on %d workers", i, n, workers)
			}
		}
		p.Close()
	}
}

func TestBlocksCoverTheRange(t *testing.T) {
	p := New(3)
	defer p.Close()
	for _, n := range []int{0, 1, 9, 10, 11, 25} {
		var sum atomic.Int64
		p.Blocks(n, 10, func(_, from, to int) {
			assert.LessOrEqual(t, to-from, 10)
			for i := from; i < to; i++ {
				sum.Add(int64(i) + 1)
			}
		})
		assert.EqualValues(t, n*(n+1)/2, sum.Load())
	}
}

func TestPanicReachesTheCaller(t *testing.T) {
	p := New(2)
	defer p.Close()
	assert.PanicsWithValue(t, "task 5", func() {
		p.Run(10, func(_, i int) {
			if i == 5 {
				panic("task 5")
			}
		})
	})
	p.Run(2, func(int, int) {}) // the pool is still usable
}
