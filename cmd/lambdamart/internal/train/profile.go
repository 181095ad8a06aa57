package train

import (
	"fmt"
	"time"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/metric"
)

// phaseTime is the time of one phase. Reading and binning are not part of an iteration, so their AnIteration
// is 0.
type phaseTime struct {
	Phase        string       `json:"phase"`
	Milliseconds metric.Value `json:"milliseconds"`
	AnIteration  metric.Value `json:"milliseconds_an_iteration"`
	Share        metric.Value `json:"share"`
}

// showProfile reports the time of each phase of a training run.
func showProfile(p *booster.Profile, messages *cli.Console) {
	var phases []phaseTime
	var total time.Duration
	for _, passed := range p.Times {
		total += passed
	}
	all := milliseconds(total)
	text := fmt.Sprintf("%-12s %10s %14s %7s\n", "phase", "ms", "ms/iteration", "share")
	for i, passed := range p.Times {
		phase, took, each, iteration := booster.Phase(i), milliseconds(passed), 0.0, ""
		if phase > booster.PhaseBin && p.Iterations > 0 {
			each = took / float64(p.Iterations)
		}
		if each > 0 {
			iteration = fmt.Sprintf("%.2f", each)
		}
		share := took / max(all, 1e-6)
		text += fmt.Sprintf("%-12s %10.1f %14s %6.1f%%\n", phase, took, iteration, 100*share)
		phases = append(phases, phaseTime{phase.String(), metric.Value(took), metric.Value(each),
			metric.Value(share)})
	}
	messages.SayAt(0, "profile", text+fmt.Sprintf("%-12s %10.1f", "all", all),
		"iterations", p.Iterations, "milliseconds", all, "phases", phases)
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
