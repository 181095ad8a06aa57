package study

import (
	"fmt"
	"io"

	"github.com/lambdamart/lambdamart/booster"
)

// Identify writes what tells data apart from other data, for a hash: the bins of all rows by a fingerprint,
// and all that trainings learn from. This many workers compute the fingerprint, one for each processor if
// below 1.
func Identify(w io.Writer, d booster.Data, workers int) {
	fmt.Fprintln(w, d.Meta.Queries, d.Meta.Labels, d.Meta.Weights, d.Meta.InitialScores, d.Meta.SecondLabels, d.Meta.Positions, d.Meta.PositionNames)
	fmt.Fprintf(w, "%q %s\n", d.Meta.Features, d.Values.Fingerprint(workers))
}

// IdentifyParts is [Identify] for the data and its parts.
func IdentifyParts(w io.Writer, d booster.Data, parts []Part, workers int) {
	Identify(w, d, workers)
	for _, part := range parts {
		fmt.Fprintln(w, part.Train, part.Valid)
		if part.Other != nil {
			Identify(w, *part.Other, workers)
		}
	}
}
