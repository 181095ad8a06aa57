package cv

import (
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/training"
)

// progress shows on a terminal how many rounds of all folds are done. Elsewhere they are too many to be
// shown.
type progress struct {
	messages *cli.Console
	done, of int
}

func (p *progress) round(_ int, r training.Round) {
	p.done++
	if p.messages.Terminal() {
		e := cli.NewIterationEvent(r, p.of)
		e.Iteration = p.done
		p.messages.Progress(e, r.Evaluations[0].Result.Metric)
	}
}
