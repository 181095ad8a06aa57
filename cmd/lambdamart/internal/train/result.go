package train

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/lambdamart/lambdamart/io/data"
	"github.com/lambdamart/lambdamart/training"
)

// printMetrics prints the metrics of the model's round, or of the last evaluated round before it: as a message
// if the model goes to standard output.
func (r *run) printMetrics(judged history, kept int) {
	i := len(judged) - 1
	for i >= 0 && judged[i].Number > kept {
		i--
	}
	if i < 0 {
		return
	}
	var text strings.Builder
	evaluations := judged[i].Evaluations
	fmt.Fprintf(&text, "after %d %s (%v):\n", judged[i].Number, r.Learner().Unit,
		evaluations[0].Result.Convention)
	for len(evaluations) > 0 {
		set := evaluations[0].Set
		end := 1
		for end < len(evaluations) && evaluations[end].Set == set {
			end++
		}
		printSet(&text, set, r.pathOf(set), evaluations[:end])
		evaluations = evaluations[end:]
	}
	if isStdout(r.OutputModel) {
		r.messages.Say("metrics", strings.TrimSuffix(text.String(), "\n"), "message", text.String())
		return
	}
	io.WriteString(r.env.Stdout, text.String())
}

// isStdout reports whether an output goes to standard output.
func isStdout(path string) bool {
	named, err := os.Stat(path)
	stdout, err2 := os.Stdout.Stat()
	return path == "-" || err == nil && err2 == nil && os.SameFile(named, stdout)
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
