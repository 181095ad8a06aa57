package cv

import (
	"fmt"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/training"
)

// progress shows on a terminal how many rounds of all folds are done. Elsewhere they are too many to be
// shown. It says which folds continue from a checkpoint.
type progress struct {
	messages *cli.Console
	done, of int
	folds    []string // names
	restored []int    // iterations that a fold's checkpoint had, until the fold does another one
}

func (p *progress) round(fold int, r training.Round) {
	p.done++
	if r.Restored {
		p.restored[fold]++
	} else if p.restored[fold] > 0 {
		p.messages.Note(fmt.Sprintf("fold %s continues after iteration %d, from its checkpoint", p.folds[fold], p.restored[fold]))
		p.restored[fold] = 0
	}
	if p.messages.Terminal() {
		e := cli.NewIterationEvent(r, p.of)
		e.Iteration = p.done
		p.messages.Progress(e, r.Evaluations[0].Result.Metric)
	}
}
