package par

import (
	"fmt"
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

// TestWorkersWakeUp pauses for various times between jobs, so that a new job finds workers polling, asleep,
// and about to sleep.
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

// TestLateWakeBringsNoJob simulates a put that is delayed after it has stored its job. The worker, still
// polling, takes the job, finishes it and falls asleep before the put checks whether it sleeps. Then the
// worker is woken without a job, and must wait for the next one.
func TestLateWakeBringsNoJob(t *testing.T) {
	s := seat{wake: make(chan struct{}, 1)}
	taken := make(chan *job)
	go func() { taken <- s.take(0) }()
	for !s.asleep.CompareAndSwap(true, false) {
		runtime.Gosched()
	}
	s.wake <- struct{}{} // the delayed put ends here
	want := new(job)
	for !s.asleep.Load() {
		runtime.Gosched()
	}
	s.put(want)
	assert.Same(t, want, <-taken)
}

// hold keeps all workers except the caller busy until release is called, like a system that gives their CPUs
// to other programs. They see no job meanwhile.
func hold(p *Pool) (release func()) {
	free, all := make(chan struct{}), make(chan struct{}, p.Workers())
	for i := range p.seats {
		p.seats[i].put(&job{n: 1, task: func(int, int) { all <- struct{}{}; <-free }})
	}
	for range p.seats {
		<-all
	}
	return func() { close(free) }
}

// TestNobodyWaitsForWorkersThatHaveNotBegun: jobs complete while all other workers are held. When released,
// the workers find those jobs without remaining tasks.
func TestNobodyWaitsForWorkersThatHaveNotBegun(t *testing.T) {
	p := New(4)
	defer p.Close()
	for range 20 {
		release := hold(p)
		var calls [2]atomic.Int64
		for range 50 {
			p.Run(100, func(worker, _ int) { assert.Zero(t, worker); calls[0].Add(1) })
			p.Each(4, func(int) { calls[1].Add(1) })
		}
		assert.EqualValues(t, 5000, calls[0].Load())
		assert.EqualValues(t, 200, calls[1].Load())
		release()
		p.Run(4, func(int, int) {})
		assert.EqualValues(t, 5200, calls[0].Load()+calls[1].Load())
	}
}

// TestTasksDoNotBeginAfterAPanic: no task begins after Run has returned, because its data may be freed.
func TestTasksDoNotBeginAfterAPanic(t *testing.T) {
	p := New(4)
	defer p.Close()
	for i := range 20 {
		release := hold(p)
		var after atomic.Int64
		panicOf(t, func() { p.Run(100, func(int, int) { after.Add(1); panic("first") }) })
		panicOf(t, func() { p.Each(4, func(int) { after.Add(1); panic("first") }) })
		release()
		p.Run(100, func(int, int) {})
		assert.EqualValues(t, 2, after.Load(), i)
	}
}

// TestEachRunsEveryPlaceOnce also checks that no two workers run the same place.
func TestEachRunsEveryPlaceOnce(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		p := New(workers)
		for i := range 500 {
			counts := make([]int, workers) // not atomic, so that the race detector finds shared places
			p.Each(workers, func(place int) {
				counts[place]++
				if i%50 == place {
					time.Sleep(50 * time.Microsecond)
				}
			})
			for place, n := range counts {
				assert.Equal(t, 1, n, place)
			}
		}
		p.Close()
	}
}

func TestAtOnce(t *testing.T) {
	for _, c := range []struct{ trainings, rows, threads, atOnce, each int }{
		{4, 1000, 1, 1, 1}, {4, 1000, 2, 2, 1}, {4, 1000, 8, 4, 2}, {4, 200_000, 16, 4, 4}, {3, 1000, 8, 3, 2},
		{4, 200_001, 8, 1, 8}, {1, 1000, 8, 1, 8},
	} {
		atOnce, each := AtOnce(c.trainings, c.rows, c.threads)
		assert.Equal(t, [2]int{c.atOnce, c.each}, [2]int{atOnce, each}, c)
	}
}

// TestErrorOfTheFirst: the error returned is the lowest-numbered one, even if a higher one occurs earlier.
func TestErrorOfTheFirst(t *testing.T) {
	failed := make(chan bool)
	err := Try(2, 3, func(i int) error {
		switch i {
		case 0:
			<-failed
		case 1:
			defer close(failed)
		}
		return fmt.Errorf("number %d", i)
	})
	assert.EqualError(t, err, "number 0")
}
