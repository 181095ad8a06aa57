package booster

import "time"

// Phase is a kind of work in a training.
type Phase int

// The phases, in the order in which a training comes to them. The first two are
// not booster's: they are there for the caller's [Profile.Add].
const (
	PhaseRead       Phase = iota // data read, bins found
	PhaseBin                     // data read and binned
	PhaseLambdas                 // bag and gradients (package objective)
	PhaseRound                   // gradients to integers, active rows (activate.go)
	PhaseGather                  // bins of the active rows, or of all by column, copied together
	PhaseHistogram               // sums of leaves, built and subtracted
	PhaseSplit                   // search for the best splits
	PhasePartition               // rows of split leaves parted
	PhaseRefit                   // all rows down the tree, its values, new scores
	PhaseValidation              // validation rows down the tree, metrics
	PhaseOther                   // hooks, and what else is between iterations
	numPhases
)

var phaseNames = [numPhases]string{
	"read", "bin", "lambdas", "round", "gather", "histogram", "split", "partition", "refit", "validation", "other",
}

func (p Phase) String() string { return phaseNames[p] }

// Phases returns all phases, in their order.
func Phases() []Phase {
	all := make([]Phase, numPhases)
	for i := range all {
		all[i] = Phase(i)
	}
	return all
}

// Profile tells where the time of a training went. The phases do not overlap:
// their times add up to the time that passed.
type Profile struct {
	Iterations int

	times [numPhases]time.Duration
}

// Add adds time to a phase.
func (p *Profile) Add(phase Phase, took time.Duration) { p.times[phase] += took }

// Time returns the time of a phase.
func (p *Profile) Time(phase Phase) time.Duration { return p.times[phase] }

// Total returns the time of all phases.
func (p *Profile) Total() time.Duration {
	var total time.Duration
	for _, took := range p.times {
		total += took
	}
	return total
}

// stopwatch fills a profile while training goes on. Each lap ends where the next
// one begins. A nil stopwatch does nothing.
type stopwatch struct {
	profile *Profile
	last    time.Time // end of the newest lap
	workers []workerWatch
}

// workerWatch times one worker in a lap that phases share. The padding keeps
// workers out of each other's cache lines.
type workerWatch struct {
	last  time.Time
	times [numPhases]time.Duration
	_     [64]byte
}

// newStopwatch returns nil if there is no profile to fill.
func newStopwatch(p *Profile, workers int) *stopwatch {
	if p == nil {
		return nil
	}
	return &stopwatch{profile: p, last: time.Now(), workers: make([]workerWatch, workers)}
}

// lap ends a lap, which was that of phase, and returns its time.
func (s *stopwatch) lap(phase Phase) {
	if s != nil {
		s.profile.times[phase] += s.next()
	}
}

func (s *stopwatch) next() time.Duration {
	now := time.Now()
	took := now.Sub(s.last)
	s.last = now
	return took
}

// begin starts a worker's laps within a lap that phases share.
func (s *stopwatch) begin(worker int) {
	if s != nil {
		s.workers[worker].last = time.Now()
	}
}

// workerLap ends a lap of one worker.
func (s *stopwatch) workerLap(worker int, phase Phase) {
	if s != nil {
		w, now := &s.workers[worker], time.Now()
		w.times[phase] += now.Sub(w.last)
		w.last = now
	}
}

// lapShared ends a lap that several workers spent in several phases: each phase
// gets a share of the time that passed as large as its share of the workers' time.
func (s *stopwatch) lapShared() {
	if s == nil {
		return
	}
	var times [numPhases]time.Duration
	var total time.Duration
	for i := range s.workers {
		for phase, took := range s.workers[i].times {
			times[phase] += took
			total += took
		}
		s.workers[i].times = [numPhases]time.Duration{}
	}
	passed := s.next()
	rest := passed
	for phase, took := range times {
		if total > 0 {
			share := time.Duration(float64(passed) * float64(took) / float64(total))
			s.profile.times[phase] += share
			rest -= share
		}
	}
	s.profile.times[PhaseOther] += rest // what rounding leaves
}

// iteration ends an iteration.
func (s *stopwatch) iteration() {
	if s != nil {
		s.lap(PhaseOther)
		s.profile.Iterations++
	}
}
