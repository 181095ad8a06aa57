package booster

import (
	"time"

	"github.com/lambdamart/lambdamart/booster/internal/grow"
)

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

// Profile is the time that each phase of a training run took. Phases do not overlap: their times add up to
// the time that passed.
type Profile struct {
	Iterations int                      // number of iterations that were done
	Times      [numPhases]time.Duration // by [Phase]
}

// clock fills a profile, unless there is none.
type clock struct {
	grow.Watch
	profile *Profile
}

// newClock returns a clock that fills p; it does nothing if p is nil.
func newClock(p *Profile, workers int) clock {
	c := clock{profile: p, Watch: grow.Watch{Root: int(PhaseRound), Histogram: int(PhaseHistogram),
		Split: int(PhaseSplit), Partition: int(PhasePartition)}}
	if p != nil {
		c.Stopwatch = grow.NewStopwatch(p.Times[:], workers)
	}
	return c
}

// lap ends a lap of the run, and adds its time to a phase.
func (c *clock) lap(phase Phase) { c.Lap(int(phase)) }

// iteration ends an iteration, and adds the time since the latest lap to PhaseOther.
func (c *clock) iteration() {
	if c.profile != nil {
		c.lap(PhaseOther)
		c.profile.Iterations++
	}
}
