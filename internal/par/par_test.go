package par

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

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

// TestWorkersWakeUp pauses for various times between jobs, so that a new job finds workers that are
// polling, asleep, and about to sleep.
func TestWorkersWakeUp(t *testing.T) {
	for _, workers := range []int{2, runtime.GOMAXPROCS(0), 5} {
		p := New(workers)
		var calls atomic.Int64
		const jobs = 600
		for job := range jobs {
			if job%3 == 0 {
				time.Sleep(time.Duration(job%100) * time.Microsecond)
			}
			p.Run(workers, func(_, i int) {
				if i == 0 && job%7 == 0 {
					time.Sleep(time.Duration(job%60) * time.Microsecond)
				}
				calls.Add(1)
			})
		}
		p.Close()
		assert.EqualValues(t, jobs*workers, calls.Load())
	}
}

// BenchmarkRun measures a job that has nothing to do, after a pause as short as those within the
// growth of a small tree.
func BenchmarkRun(b *testing.B) {
	p := New(0)
	defer p.Close()
	for b.Loop() {
		p.Run(p.Workers(), func(int, int) {})
		for range 10000 { // about 10 µs
			_ = p.looks
		}
	}
}

// TestLateWakeBringsNoJob plays a put that is delayed after it has stored its job: the worker,
// still polling, takes the job, finishes it and falls asleep before the put looks whether it sleeps.
// The worker is then woken without a job, and must wait for the next one.
func TestLateWakeBringsNoJob(t *testing.T) {
	s := seat{wake: make(chan struct{}, 1)}
	taken := make(chan *job)
	go func() { taken <- s.take(0) }()
	for !s.asleep.CompareAndSwap(true, false) {
		runtime.Gosched()
	}
	s.wake <- struct{}{} // the end of the delayed put
	want := new(job)
	for !s.asleep.Load() {
		runtime.Gosched()
	}
	s.put(want)
	assert.Same(t, want, <-taken)
}
