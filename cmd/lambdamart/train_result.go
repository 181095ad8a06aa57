package main

import (
	"fmt"
	"io"

	"github.com/lambdamart/lambdamart/booster"
)

// printMetrics prints the metrics of the model that was kept, or of the last
// iteration before it that was judged.
func printMetrics(w io.Writer, o *options, history []booster.Round, kept int, iterations string) {
	i := len(history) - 1
	for i >= 0 && history[i].Iteration > kept {
		i--
	}
	if i < 0 {
		return
	}
	evaluations := history[i].Evaluations
	fmt.Fprintf(w, "after %d %s (%v):\n", history[i].Iteration, iterations, evaluations[0].Result.Convention)
	for len(evaluations) > 0 {
		set := evaluations[0].Set
		end := 1
		for end < len(evaluations) && evaluations[end].Set == set {
			end++
		}
		printSet(w, set, o.pathOf(set), evaluations[:end])
		evaluations = evaluations[end:]
	}
}

// printSet prints the metrics on one set.
func printSet(w io.Writer, set, path string, evaluations []booster.Evaluation) {
	first := evaluations[0].Result
	fmt.Fprintf(w, "%s (%s; %d queries, %d without a relevant document)\n ", set, path, first.Queries, first.Empty)
	for _, e := range evaluations {
		fmt.Fprintf(w, " %s %.4f", e.Result.Metric, e.Result.Mean)
	}
	fmt.Fprintln(w)
}

// pathOf returns the file of a set.
func (o *options) pathOf(set string) string {
	for i, path := range o.valid {
		if set == validationSet(i) {
			return path
		}
	}
	return o.data
}
