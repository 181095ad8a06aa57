package train

import (
	"fmt"
	"strings"
	"time"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/metric"
)

// profileEvent is the time that each phase of a training took.
type profileEvent struct {
	Iterations   int          `json:"iterations"`
	Milliseconds metric.Value `json:"milliseconds"`
	Phases       []phaseTime  `json:"phases"`
}

// phaseTime is the time of one phase. Reading and binning are not part of an iteration, so their
// AnIteration is 0.
type phaseTime struct {
	Phase        string       `json:"phase"`
	Milliseconds metric.Value `json:"milliseconds"`
	AnIteration  metric.Value `json:"milliseconds_an_iteration"`
	Share        metric.Value `json:"share"`
}

func newProfileEvent(p *booster.Profile) profileEvent {
	e := profileEvent{Iterations: p.Iterations, Milliseconds: metric.Value(milliseconds(p.Total()))}
	for _, phase := range booster.Phases() {
		took := milliseconds(p.Time(phase))
		t := phaseTime{Phase: phase.String(), Milliseconds: metric.Value(took),
			Share: metric.Value(took / max(milliseconds(p.Total()), 1e-6))}
		if phase > booster.PhaseBin && p.Iterations > 0 {
			t.AnIteration = metric.Value(took / float64(p.Iterations))
		}
		e.Phases = append(e.Phases, t)
	}
	return e
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func (e profileEvent) Kind() string { return "profile" }
func (e profileEvent) Level() int   { return 0 }

func (e profileEvent) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-12s %10s %14s %7s\n", "phase", "ms", "ms/iteration", "share")
	for _, p := range e.Phases {
		iteration := ""
		if p.AnIteration > 0 {
			iteration = fmt.Sprintf("%.2f", float64(p.AnIteration))
		}
		fmt.Fprintf(&b, "%-12s %10.1f %14s %6.1f%%\n", p.Phase, float64(p.Milliseconds), iteration,
			100*float64(p.Share))
	}
	fmt.Fprintf(&b, "%-12s %10.1f", "all", float64(e.Milliseconds))
	return b.String()
}
