package studies

import (
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/study"
)

// Show returns a listener that shows the events of a study. Rounds move a bar on a terminal; elsewhere they
// are not shown, because there are too many.
func Show(messages *cli.Console) func(study.Event) {
	return func(e study.Event) {
		switch p := e.Progress; {
		case p == nil:
			if e.Kind == "begin" || e.Kind == "end" { // each run has a bar of its own
				messages.EndProgress()
			}
			messages.Emit(e)
		case e.Kind == "queries":
			messages.Within(p.Done+1, p.Of, p.Steps[0], p.Steps[1])
		default:
			showRound(p, messages)
		}
	}
}

func showRound(e *study.Progress, messages *cli.Console) {
	if !messages.Terminal() {
		return
	}
	shown, metric := cli.NewIterationEvent(e.Round, e.Of), ""
	shown.Iteration = e.Done
	if len(e.Evaluations) > 0 {
		metric = e.Evaluations[0].Result.Metric
	}
	messages.Progress(shown, metric, 1)
}
