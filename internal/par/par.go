// Package par runs independent tasks on a fixed number of workers.
//
// Nothing here decides a result: tasks write to places of their own, or add
// integers, so that no order of execution changes what they make.
package par

import (
	"runtime"
	"sync/atomic"
)

// Pool is a set of workers that wait for work between calls of Run.
// The caller of Run is one of them. A Pool is used by one goroutine at a time.
type Pool struct {
	seats []seat // one for each worker but the caller
	done  chan struct{}
	looks int
}

// job is one call of Run: workers take task numbers until none is left.
type job struct {
	task func(worker, i int)
	n    int64
	next atomic.Int64
	own  bool         // worker w does task w, and no other
	left atomic.Int64 // workers that are at it, but for the caller
	fail atomic.Pointer[any]
	// asleep tells that the caller waits for the pool's done.
	asleep atomic.Bool
}

// New returns a pool of the given number of workers, GOMAXPROCS of them if
// workers < 1. Close it to end its goroutines.
func New(workers int) *Pool {
	most := runtime.GOMAXPROCS(0)
	if workers < 1 {
		workers = most
	}
	p := &Pool{seats: make([]seat, workers-1), done: make(chan struct{}, 1)}
	if workers <= most { // else those who look would keep others from working
		p.looks = looks
	}
	for i := range p.seats {
		p.seats[i].wake = make(chan struct{}, 1)
		go p.serve(i)
	}
	return p
}

func (p *Pool) serve(i int) {
	for {
		j := p.seats[i].take(p.looks)
		if j.task == nil {
			return
		}
		j.work(i + 1)
		if j.left.Add(-1) == 0 && j.asleep.CompareAndSwap(true, false) {
			p.done <- struct{}{}
		}
	}
}

// Close ends the pool's goroutines. Run must not be called afterwards.
func (p *Pool) Close() {
	for i := range p.seats {
		p.seats[i].put(new(job))
	}
}

// Workers returns the number of workers.
func (p *Pool) Workers() int { return len(p.seats) + 1 }

// Run calls task(worker, i) once for each i in [0, n), and returns when all
// calls have returned. Worker numbers are in [0, Workers()); a worker does one
// task at a time. Tasks begin in ascending order, so put the largest first.
// A panic in a task is passed on to the caller.
func (p *Pool) Run(n int, task func(worker, i int)) {
	p.run(&job{task: task, n: int64(n)})
}

// Each calls task(worker) once for each worker in [0, n), n being at most
// Workers(), and returns when all calls have returned. Who gives a worker the
// same data in every call finds it in that worker's cache.
func (p *Pool) Each(n int, task func(worker int)) {
	p.run(&job{task: func(worker, _ int) { task(worker) }, n: int64(n), own: true})
}

func (p *Pool) run(j *job) {
	helpers := min(len(p.seats), int(j.n)-1)
	if helpers < 1 {
		for i := range int(j.n) {
			j.task(0, i)
		}
		return
	}
	j.left.Store(int64(helpers))
	for i := range helpers {
		p.seats[i].put(j)
	}
	j.work(0)
	p.wait(j)
	if v := j.fail.Load(); v != nil {
		panic(*v)
	}
}

// wait returns when all workers have done with j.
func (p *Pool) wait(j *job) {
	for range p.looks {
		if j.left.Load() == 0 {
			return
		}
	}
	j.asleep.Store(true)
	// The last worker may have left before asleep was set, and wakes nobody then.
	if j.left.Load() != 0 || !j.asleep.CompareAndSwap(true, false) {
		<-p.done
	}
}

func (j *job) work(worker int) {
	defer func() {
		if v := recover(); v != nil {
			j.fail.CompareAndSwap(nil, &v)
		}
	}()
	if j.own {
		j.task(worker, worker)
		return
	}
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
