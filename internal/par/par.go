// Package par runs independent tasks on a fixed number of workers.
//
// Nothing here decides a result: tasks write to places of their own, or add
// integers, so that no order of execution changes what they make.
package par

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Pool is a set of workers that wait for work between calls of Run.
// The caller of Run is one of them. A Pool is used by one goroutine at a time.
type Pool struct {
	workers int
	jobs    []chan *job // one for each worker but the caller
}

// job is one call of Run: workers take task numbers until none is left.
type job struct {
	task func(worker, i int)
	n    int64
	next atomic.Int64
	done sync.WaitGroup
	fail atomic.Pointer[any] // value of the first panic
}

// New returns a pool of the given number of workers, GOMAXPROCS of them if
// workers < 1. Close it to end its goroutines.
func New(workers int) *Pool {
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	p := &Pool{workers: workers, jobs: make([]chan *job, workers-1)}
	for i := range p.jobs {
		p.jobs[i] = make(chan *job)
		go serve(p.jobs[i], i+1)
	}
	return p
}

func serve(jobs <-chan *job, worker int) {
	for j := range jobs {
		j.work(worker)
		j.done.Done()
	}
}

// Close ends the pool's goroutines. Run must not be called afterwards.
func (p *Pool) Close() {
	for _, c := range p.jobs {
		close(c)
	}
}

// Workers returns the number of workers.
func (p *Pool) Workers() int { return p.workers }

// Run calls task(worker, i) once for each i in [0, n), and returns when all
// calls have returned. Worker numbers are in [0, Workers()); a worker does one
// task at a time. Tasks begin in ascending order, so put the largest first.
// A panic in a task is passed on to the caller.
func (p *Pool) Run(n int, task func(worker, i int)) {
	helpers := min(len(p.jobs), n-1)
	if helpers < 1 {
		for i := range n {
			task(0, i)
		}
		return
	}
	j := &job{task: task, n: int64(n)}
	j.done.Add(helpers)
	for _, c := range p.jobs[:helpers] {
		c <- j
	}
	j.work(0)
	j.done.Wait()
	if v := j.fail.Load(); v != nil {
		panic(*v)
	}
}

func (j *job) work(worker int) {
	defer func() {
		if v := recover(); v != nil {
			j.fail.CompareAndSwap(nil, &v)
		}
	}()
	for i := j.next.Add(1) - 1; i < j.n; i = j.next.Add(1) - 1 {
		j.task(worker, int(i))
	}
}

// Blocks divides [0, n) into blocks of at most size numbers and runs
// task(worker, from, to) for each.
func (p *Pool) Blocks(n, size int, task func(worker, from, to int)) {
	p.Run((n+size-1)/size, func(worker, i int) {
		task(worker, i*size, min(n, (i+1)*size))
	})
}
