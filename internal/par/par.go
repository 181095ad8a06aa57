// Package par runs independent tasks on a fixed number of workers.
//
// The order in which tasks run differs from call to call, so a task must not make results depend on
// it: each task writes to memory of its own, or adds integers.
//
// # On a shared machine
//
// The system may take the CPU from a worker at any time, for many milliseconds where other programs
// wait for it. So a job does not wait for workers that have not begun: any worker takes any task that is
// left, and the caller, which is a worker, returns when all tasks are done, whether the others have seen
// the job or not. Only a task that a worker has begun must be waited for.
package par

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync/atomic"
)

// Pool is a set of workers that wait for work between calls of Run. The goroutine that calls Run is
// worker 0. Only one goroutine at a time may use a Pool.
type Pool struct {
	seats []seat // one for each worker except the caller
	done  chan struct{}
	looks int // how often a waiting goroutine polls before it sleeps; 0: it sleeps at once
}

// job is one call of Run: workers take task numbers until none is left.
type job struct {
	task func(worker, i int)
	n    int64
	next atomic.Int64
	// tasks that have begun, for a job of Each, in which a worker prefers the task of its own number; nil:
	// tasks are taken in order
	claimed []atomic.Bool
	busy    atomic.Int64 // workers, not counting the caller, that may be running a task
	failure atomic.Pointer[Panic]
	asleep  atomic.Bool // the caller sleeps until the pool's done is sent
}

// Threads returns the number of workers that a parameter such as num_threads means: GOMAXPROCS if n < 1.
func Threads(n int) int {
	if n < 1 {
		return runtime.GOMAXPROCS(0)
	}
	return n
}

// New returns a pool of the number of workers that [Threads] returns. Close ends its goroutines.
func New(workers int) *Pool {
	workers = Threads(workers)
	p := &Pool{seats: make([]seat, workers-1), done: make(chan struct{}, 1)}
	// With more workers than GOMAXPROCS, polling would take CPU time from those with work.
	if workers <= runtime.GOMAXPROCS(0) {
		p.looks = looks
	}
	for i := range p.seats {
		p.seats[i].wake = make(chan struct{}, 1)
		go p.serve(i)
	}
	return p
}

func (p *Pool) serve(i int) {
	// Memory that is mapped from a file may vanish. The caller of Run then gets a panic, which it can
	// recover from; without this, the program would end.
	debug.SetPanicOnFault(true)
	for {
		j := p.seats[i].take(p.looks)
		if j.task == nil {
			return
		}
		j.busy.Add(1)
		j.work(i + 1)
		if j.busy.Add(-1) == 0 && j.asleep.CompareAndSwap(true, false) {
			p.done <- struct{}{}
		}
	}
}

// Close ends the pool's goroutines. The pool must not be used afterwards.
func (p *Pool) Close() {
	for i := range p.seats {
		p.seats[i].put(new(job))
	}
}

// Workers returns the number of workers, including the caller of Run.
func (p *Pool) Workers() int { return len(p.seats) + 1 }

// Run calls task(worker, i) once for each i in [0, n), and returns when all calls have returned.
// Worker numbers are in [0, Workers()), and a worker runs one task at a time. Tasks begin in
// ascending order, so the longest should come first. If a task panics, Run panics with a *Panic
// after the other workers have finished theirs; no other task begins.
func (p *Pool) Run(n int, task func(worker, i int)) {
	p.run(&job{task: task, n: int64(n)})
}

// Each calls task(place) once for each place in [0, n), and returns when all calls have returned. n
// must be at most Workers(). A worker takes the place of its number if it comes in time, so that one
// that is given the same data in every call finds it in its CPU's cache; otherwise another worker
// takes it. Each panics as Run does.
func (p *Pool) Each(n int, task func(place int)) {
	p.run(&job{task: func(_, place int) { task(place) }, n: int64(n), claimed: make([]atomic.Bool, n)})
}

func (p *Pool) run(j *job) {
	if helpers := min(len(p.seats), int(j.n)-1); helpers < 1 {
		j.workAlone()
	} else {
		p.share(j, helpers)
	}
	if failure := j.failure.Load(); failure != nil {
		panic(failure)
	}
}

// share lets the caller and the given number of other workers do the job.
func (p *Pool) share(j *job, helpers int) {
	for i := range helpers {
		p.seats[i].put(j)
	}
	j.work(0)
	p.wait(j)
}

// wait returns when no other worker is running a task of j. None is left to be taken.
func (p *Pool) wait(j *job) {
	for range p.looks {
		if j.busy.Load() == 0 {
			return
		}
	}
	j.asleep.Store(true)
	// The last worker may have finished before asleep was set. It sends nothing then.
	if j.busy.Load() != 0 || !j.asleep.CompareAndSwap(true, false) {
		<-p.done
	}
}

// work runs tasks as the given worker until none is left. A worker that begins after the caller has
// returned finds none.
func (j *job) work(worker int) {
	defer j.catch()
	if j.claimed != nil {
		j.workAt(worker)
		return
	}
	for i := j.next.Add(1) - 1; i < j.n; i = j.next.Add(1) - 1 {
		j.task(worker, int(i))
	}
}

// workAt runs the task of the worker's own number, and then those that nobody has begun.
func (j *job) workAt(worker int) {
	for turn := range int(j.n) {
		place := (worker + turn) % int(j.n)
		if !j.claimed[place].Swap(true) {
			j.task(worker, place)
		}
	}
}

// workAlone runs all tasks on the caller's goroutine, without atomic operations.
func (j *job) workAlone() {
	defer j.catch()
	for i := range int(j.n) {
		j.task(0, i)
	}
}

// Blocks divides [0, n) into blocks of size numbers, the last one perhaps shorter, and calls
// task(worker, from, to) for each block [from, to) as Run does.
func (p *Pool) Blocks(n, size int, task func(worker, from, to int)) {
	p.Run((n+size-1)/size, func(worker, i int) {
		task(worker, i*size, min(n, (i+1)*size))
	})
}

// Try calls task(i) once for each i in [0, n), on up to the given number of workers of its own, and returns
// when all calls have returned. If several fail, it returns the error for the smallest number. It panics as
// [Pool.Run] does.
func Try(workers, n int, task func(i int) error) error {
	errs := make([]error, n)
	pool := New(workers)
	defer pool.Close()
	pool.Run(n, func(_, i int) { errs[i] = task(i) })
	return cmp.Or(errs...)
}

// fewRows is the largest number of rows with which several models are trained at the same time.
const fewRows = 200_000

// AtOnce returns how many of several models are trained at the same time on the same rows, and on how many
// threads each. threads is the number of all threads; if it is below 1, one for each processor.
func AtOnce(models, rows, threads int) (atOnce, threadsOfEach int) {
	threads = Threads(threads)
	if rows > fewRows {
		return 1, threads
	}
	atOnce = max(1, min(threads, models))
	return atOnce, threads / atOnce
}

// Panic is the value that Run, Each and Blocks panic with after a task has panicked. The task may
// have run on another goroutine, whose stack is gone when the caller's is printed, so the value
// carries it: a crash shows the line that panicked.
type Panic struct {
	Value any    // what the task panicked with
	Stack []byte // of the worker at that time, as debug.Stack formats it
}

func (p *Panic) Error() string {
	return fmt.Sprintf("%v\n\nstack of the worker that panicked:\n%s", p.Value, p.Stack)
}

// Unwrap returns the task's value if it is an error, and nil otherwise.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// catch records the panic of a task; it must be deferred. The first panic of a job is kept. One
// that comes from a pool within the task already has the stack that matters.
func (j *job) catch() {
	v := recover()
	if v == nil {
		return
	}
	failure, ok := v.(*Panic)
	if !ok {
		failure = &Panic{Value: v, Stack: debug.Stack()}
	}
	j.failure.CompareAndSwap(nil, failure)
	j.drop()
}

// drop marks all remaining tasks as begun, so that no worker begins another one: the caller returns without
// waiting for workers that have not begun.
func (j *job) drop() {
	j.next.Add(j.n)
	for i := range j.claimed {
		j.claimed[i].Store(true)
	}
}

// looks is how often a worker without work polls for a job before it sleeps, and how often the
// caller of Run polls for the other workers' end: for about 0.1 ms. The system takes tens of
// microseconds to wake a goroutine's thread, and growing a small tree consists of many jobs that
// are as short as that, with pauses between them that are as short.
const looks = 1 << 18

// seat is where a worker waits for jobs.
type seat struct {
	job    atomic.Pointer[job]
	asleep atomic.Bool
	wake   chan struct{}
	_      [64]byte // keeps seats out of each other's cache lines
}

// put hands a job to the worker. It replaces an earlier job that the worker has not
// seen, which is done by then.
func (s *seat) put(j *job) {
	s.job.Store(j)
	if s.asleep.CompareAndSwap(true, false) {
		s.wake <- struct{}{}
	}
}

// take waits for the next job.
func (s *seat) take(looks int) *job {
	for {
		for range looks {
			if s.job.Load() != nil {
				return s.job.Swap(nil) // perhaps a newer one; only this worker takes jobs from its seat
			}
		}
		s.sleep()
		// There is no job if the put that woke the worker was delayed after it had stored its job:
		// the worker has then taken that job while it polled, and finished it.
		if j := s.job.Swap(nil); j != nil {
			return j
		}
	}
}

// sleep returns when put has woken the worker, or immediately if there is a job.
func (s *seat) sleep() {
	s.asleep.Store(true)
	// A job may have been put before asleep was set. Its put has not sent to wake then.
	if s.job.Load() == nil || !s.asleep.CompareAndSwap(true, false) {
		<-s.wake
	}
}
