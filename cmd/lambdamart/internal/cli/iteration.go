package cli

import (
	"fmt"
	"strings"

	"github.com/lambdamart/lambdamart/internal/report"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/training"
)

// MetricValues returns the means of metrics on sets, for programs.
func MetricValues(evaluations []training.Evaluation) []report.Record {
	values := []report.Record{}
	for _, e := range evaluations {
		values = append(values, report.Record{"set", e.Set, "metric", e.Result.Metric, "value", e.Result.Mean})
	}
	return values
}

// emitRound emits a round of a run that has at most the given number of rounds. Rounds that an earlier run
// has shown are emitted only with a higher verbosity.
func (c *Console) emitRound(r training.Round, of int) {
	level, text, facts := 1, "", report.Record{}
	if r.Model > 0 {
		text, facts = fmt.Sprintf("model %d ", r.Model), append(facts, "model", r.Model)
	}
	facts = append(facts, "iteration", r.Number)
	if r.Restored {
		level, facts = 2, append(facts, "restored", true)
	}
	facts = append(facts, "of", of)
	if r.Leaves > 0 {
		facts = append(facts, "leaves", r.Leaves)
	}
	facts = append(facts, "seconds", r.Seconds, "evaluations", MetricValues(r.Evaluations))
	if len(r.Bounds) > 0 {
		facts = append(facts, "constraints", r.Bounds)
	}
	figures := wording.Count(r.Leaves, "leaf")
	if r.Documents > 0 { // an epoch
		figures = fmt.Sprintf("loss %.5g, learning rate %.3g", r.Loss, r.LearningRate)
		facts = append(facts, "network", report.Record{"loss", r.Loss, "learning_rate", r.LearningRate,
			"documents", r.Documents})
	}
	text += fmt.Sprintf("[%d/%d] %s (%.3g s, %s)", r.Number, of, metricsOf(r, ""), r.Seconds, figures)
	c.SayAt(level, "iteration", text, facts...)
}

// metricsOf lists the metrics of a round, or only one, set by set. A metric that differs from the previous
// one only in the cut-off is written without its name: "valid_1 ndcg@1 0.47417 @5 0.58693".
func metricsOf(r training.Round, only string) string {
	var b strings.Builder
	set, family := "", ""
	for _, e := range r.Evaluations {
		if only != "" && e.Result.Metric != only {
			continue
		}
		if e.Set != set {
			if set != "" {
				b.WriteString("; ")
			}
			set, family = e.Set, ""
			b.WriteString(set)
		}
		name, cutoff, hasCutoff := strings.Cut(e.Result.Metric, "@")
		if hasCutoff && name == family && !strings.Contains(cutoff, "@") { // a second @ begins a label
			b.WriteString(" @" + cutoff)
		} else {
			b.WriteString(" " + e.Result.Metric)
		}
		family = name
		fmt.Fprintf(&b, " %.5f", e.Result.Mean)
	}
	for _, c := range r.Bounds {
		fmt.Fprintf(&b, "; %s weight %.3g", c.Constraint, c.Weight)
	}
	return b.String()
}
