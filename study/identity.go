package study

import (
	"fmt"
	"io"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/training"
)

// identify writes what tells data apart from other data, for a hash: the bins of all rows by a fingerprint,
// and all that trainings learn from. This many workers compute the fingerprint, one for each processor if
// below 1.
func identify(w io.Writer, d booster.Data, workers int) {
	fmt.Fprintln(w, d.Meta.Queries, d.Meta.Labels, d.Meta.Weights, d.Meta.InitialScores, d.Meta.SecondLabels,
		d.Meta.Positions, d.Meta.PositionNames)
	fmt.Fprintf(w, "%q %s\n", d.Meta.Features, d.Values.Fingerprint(workers))
}

// byParts returns a function that writes what studies with the parameters p on parts of one data set depend
// on, for [Store.open].
func byParts(p *booster.Params, parts []Part) func(io.Writer) {
	return func(w io.Writer) {
		fmt.Fprintf(w, "%q\n", training.ParameterFacts(p.Table()))
		identifyParts(w, parts, p.NumThreads)
	}
}

func identifyParts(w io.Writer, parts []Part, workers int) {
	identify(w, parts[0].whole, workers)
	for _, part := range parts {
		fmt.Fprintln(w, part.Train, part.Valid)
		if part.Other != nil {
			identify(w, *part.Other, workers)
		}
	}
}
