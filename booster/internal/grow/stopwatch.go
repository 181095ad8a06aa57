package grow

import "time"

// Stopwatch adds up the time that each phase of a run takes. Its owner numbers the phases. Each lap ends
// where the next one begins. A nil stopwatch does nothing.
type Stopwatch struct {
	times   []time.Duration // by phase
	last    time.Time       // end of the latest lap
	workers []workerWatch
}

// workerWatch times one worker in a lap that several phases share. The padding gives each worker its own
// cache lines.
type workerWatch struct {
	last  time.Time
	times []time.Duration // by phase
	_     [64]byte
}

// Watch is a stopwatch with the numbers of the phases of growth: the root is made, sums are built and
// subtracted, best splits are searched, and rows of split leaves are sent to their sides.
type Watch struct {
	*Stopwatch
	Root, Histogram, Split, Partition int
}

// NewStopwatch starts a stopwatch that adds to times.
func NewStopwatch(times []time.Duration, workers int) *Stopwatch {
	s := &Stopwatch{times: times, last: time.Now(), workers: make([]workerWatch, workers)}
	for i := range s.workers {
		s.workers[i].times = make([]time.Duration, len(times))
	}
	return s
}

// Lap ends a lap and adds its time to the phase.
func (s *Stopwatch) Lap(phase int) {
	if s != nil {
		s.times[phase] += s.next()
	}
}

// next ends a lap and returns its time.
func (s *Stopwatch) next() time.Duration {
	now := time.Now()
	took := now.Sub(s.last)
	s.last = now
	return took
}

// begin starts the laps of one worker within a lap that several phases share.
func (s *Stopwatch) begin(worker int) {
	if s != nil {
		s.workers[worker].last = time.Now()
	}
}

// workerLap ends a lap of one worker and adds its time to the phase.
func (s *Stopwatch) workerLap(worker, phase int) {
	if s != nil {
		w, now := &s.workers[worker], time.Now()
		w.times[phase] += now.Sub(w.last)
		w.last = now
	}
}

// lapShared ends a lap in which workers were in different phases. Each phase gets a share of the time that
// passed as large as its share of the workers' time, and the given one what remains.
func (s *Stopwatch) lapShared(others int) {
	if s == nil {
		return
	}
	times, total := make([]time.Duration, len(s.times)), time.Duration(0)
	for i := range s.workers {
		for phase, took := range s.workers[i].times {
			times[phase] += took
			total += took
		}
		clear(s.workers[i].times)
	}
	passed := s.next()
	rest := passed
	for phase, took := range times {
		if total > 0 {
			share := time.Duration(float64(passed) * float64(took) / float64(total))
			s.times[phase] += share
			rest -= share
		}
	}
	s.times[others] += rest
}
