package par

import "sync/atomic"

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

// put hands a job to the worker. It replaces an earlier job that the worker has not seen, which is done by
// then.
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
