package par

import "sync/atomic"

// looks is how often a worker that has nothing to do looks for work before it
// sleeps, and the caller of Run for the end of the others': for about 0.1 ms. Waking
// takes the system tens of microseconds, and growing a small tree is many jobs as
// short as that with as short pauses between them.
const looks = 1 << 18

// seat is where a worker waits for jobs.
type seat struct {
	job    atomic.Pointer[job]
	asleep atomic.Bool
	wake   chan struct{}
	_      [64]byte // keeps seats out of each other's cache lines
}

// put hands a job to the worker, which has none.
func (s *seat) put(j *job) {
	s.job.Store(j)
	if s.asleep.CompareAndSwap(true, false) {
		s.wake <- struct{}{}
	}
}

// take waits for the next job.
func (s *seat) take(looks int) *job {
	for range looks {
		if j := s.job.Load(); j != nil {
			s.job.Store(nil)
			return j
		}
	}
	s.asleep.Store(true)
	// A job that was put before asleep was set has not woken anybody.
	if s.job.Load() == nil || !s.asleep.CompareAndSwap(true, false) {
		<-s.wake
	}
	return s.job.Swap(nil)
}
