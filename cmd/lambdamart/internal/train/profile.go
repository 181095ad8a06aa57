package train

import (
	"fmt"
	"time"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/report"
)

// showProfile reports the time of each phase of a training run. Reading and binning have no time per
// iteration, because they are not part of one.
func showProfile(p *booster.Profile, messages *cli.Console) {
	var phases []report.Record
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
		phases = append(phases, report.Record{"phase", phase.String(), "milliseconds", took,
			"milliseconds_an_iteration", each, "share", share})
	}
	messages.SayAt(0, "profile", text+fmt.Sprintf("%-12s %10.1f", "all", all),
		"iterations", p.Iterations, "milliseconds", all, "phases", phases)
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
