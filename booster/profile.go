package booster

import "time"

// Phase is a part of the work of a training run.
type Phase int

// The phases, in the order in which a training run executes them. Train adds nothing to the first two, which
// are for callers that read and bin the data.
const (
	PhaseRead       Phase = iota // data read, bins found
	PhaseBin                     // data read and binned
	PhaseLambdas                 // bag and gradients (package objective)
	PhaseRound                   // gradients to integers, active rows (activate.go)
	PhaseGather                  // bins of the active rows, or of all by column, copied together
	PhaseHistogram               // sums of leaves, built and subtracted
	PhaseSplit                   // search for the best splits
	PhasePartition               // rows of split leaves sent to their sides
	PhaseRefit                   // leaves of all rows, values of the tree, new scores
	PhaseValidation              // leaves and scores of validation rows, metrics
	PhaseOther                   // Options.Round, and everything else between iterations
	numPhases
)

var phaseNames = [numPhases]string{
	"read", "bin", "lambdas", "round", "gather", "histogram", "split", "partition", "refit", "validation",
	"other",
}

func (p Phase) String() string { return phaseNames[p] }

// Profile has the time that each phase of a training run took. Phases do not overlap: their times add up to
// the time that passed.
type Profile struct {
	Iterations int                      // number of iterations that were done
	Times      [numPhases]time.Duration // by [Phase]
}

// stopwatch fills a profile during a training run. Each lap ends where the next one begins. A nil
// stopwatch does nothing.
type stopwatch struct {
	profile *Profile
	last    time.Time // end of the latest lap
	workers []workerWatch
}

// workerWatch times one worker in a lap that several phases share. The padding gives each worker its own
// cache lines.
type workerWatch struct {
	last  time.Time
	times [numPhases]time.Duration
	_     [64]byte
}

// newStopwatch starts a stopwatch that fills p. It returns nil if p is nil.
func newStopwatch(p *Profile, workers int) *stopwatch {
	if p == nil {
		return nil
	}
	return &stopwatch{profile: p, last: time.Now(), workers: make([]workerWatch, workers)}
}

// lap ends a lap and adds its time to the phase.
func (s *stopwatch) lap(phase Phase) {
	if s != nil {
		s.profile.Times[phase] += s.next()
	}
}

// next ends a lap and returns its time.
func (s *stopwatch) next() time.Duration {
	now := time.Now()
	took := now.Sub(s.last)
	s.last = now
	return took
}

// begin starts the laps of one worker within a lap that several phases share.
func (s *stopwatch) begin(worker int) {
	if s != nil {
		s.workers[worker].last = time.Now()
	}
}

// workerLap ends a lap of one worker and adds its time to the phase.
func (s *stopwatch) workerLap(worker int, phase Phase) {
	if s != nil {
		w, now := &s.workers[worker], time.Now()
		w.times[phase] += now.Sub(w.last)
		w.last = now
	}
}

// lapShared ends a lap in which workers were in different phases. Each phase gets a share of the time that
// passed as large as its share of the workers' time.
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
			s.profile.Times[phase] += share
			rest -= share
		}
	}
	s.profile.Times[PhaseOther] += rest // the remainder after rounding
}

// iteration ends an iteration, and adds the time since the latest lap to PhaseOther.
func (s *stopwatch) iteration() {
	if s != nil {
		s.lap(PhaseOther)
		s.profile.Iterations++
	}
}
