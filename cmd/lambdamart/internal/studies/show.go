package studies

import (
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/study"
)

// Show returns a listener that shows the events of a study. Rounds move a bar on a terminal; elsewhere they
// are too many to be shown.
func Show(messages *cli.Console) study.Listener {
	return func(e study.Event) {
		switch e := e.(type) {
		case study.RoundDone:
			showRound(e, messages)
		case study.StepDone:
			messages.Within(e.Round, e.Of, e.Done, e.All)
		default:
			if e.Kind() == "begin" || e.Kind() == "end" { // each run has a bar of its own
				messages.EndProgress()
			}
			messages.Emit(e)
		}
	}
}

func showRound(e study.RoundDone, messages *cli.Console) {
	if !messages.Terminal() {
		return
	}
	shown, metric := cli.NewIterationEvent(e.Round, e.Of), ""
	shown.Iteration = e.Done
	if len(e.Evaluations) > 0 {
		metric = e.Evaluations[0].Result.Metric
	}
	messages.Progress(shown, metric)
}
