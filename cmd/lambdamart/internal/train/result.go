package train

import (
	"fmt"
	"io"

	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/training"
)

// printMetrics prints the metrics of the model's round, or of the last evaluated round before it.
func (r *run) printMetrics(judged history, kept int) {
	i := len(judged) - 1
	for i >= 0 && judged[i].Number > kept {
		i--
	}
	if i < 0 {
		return
	}
	evaluations := judged[i].Evaluations
	fmt.Fprintf(r.stdout, "after %d %s (%v):\n", judged[i].Number, r.Learner().Unit,
		evaluations[0].Result.Convention)
	for len(evaluations) > 0 {
		set := evaluations[0].Set
		end := 1
		for end < len(evaluations) && evaluations[end].Set == set {
			end++
		}
		printSet(r.stdout, set, r.pathOf(set), evaluations[:end])
		evaluations = evaluations[end:]
	}
}

// printSet prints the metrics on one set.
func printSet(w io.Writer, set, path string, evaluations []training.Evaluation) {
	first := evaluations[0].Result
	fmt.Fprintf(w, "%s (%s; %d queries, %d without a relevant document)\n ", set, path, first.Queries,
		first.Empty)
	for _, e := range evaluations {
		fmt.Fprintf(w, " %s %.4f", e.Result.Metric, e.Result.Mean)
	}
	fmt.Fprintln(w)
}

// pathOf returns the file of a set.
func (p *Params) pathOf(set string) string {
	for i, path := range p.Valid {
		if set == data.ValidationSet(i) {
			return path
		}
	}
	return p.Data
}
