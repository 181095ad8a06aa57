package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/study"
	"github.com/lambdamart/lambdamart/training"
)

// IterationEvent is one iteration of training: a tree, or an epoch of a network.
type IterationEvent struct {
	Model       int              `json:"model,omitempty"` // number of the model in an ensemble, from 1
	Iteration   int              `json:"iteration"`
	Restored    bool             `json:"restored,omitempty"` // from a checkpoint
	Of          int              `json:"of"`
	Leaves      int              `json:"leaves,omitempty"`
	Seconds     metric.Value     `json:"seconds"`
	Evaluations []MetricValue    `json:"evaluations"`
	Constraints []training.Bound `json:"constraints,omitempty"`
	Network     *EpochFigures    `json:"network,omitempty"` // figures of an epoch; nil for a tree
}

// MetricValue is a metric on one set of data.
type MetricValue struct {
	Set    string       `json:"set"`
	Metric string       `json:"metric"`
	Value  metric.Value `json:"value"`
}

// NewIterationEvent returns the event of a round of a training run that has at most the given number of
// rounds.
func NewIterationEvent(round training.Round, of int) IterationEvent {
	e := IterationEvent{Model: round.Model, Iteration: round.Number, Restored: round.Restored, Of: of,
		Leaves: round.Leaves, Seconds: metric.Value(round.Seconds), Evaluations: MetricValues(round.Evaluations),
		Constraints: round.Bounds}
	if round.Documents > 0 {
		e.Network = &EpochFigures{metric.Value(round.Loss), metric.Value(round.LearningRate), round.Documents}
	}
	return e
}

// MetricValues returns the means of metrics on sets.
func MetricValues(evaluations []training.Evaluation) []MetricValue {
	values := []MetricValue{}
	for _, e := range evaluations {
		values = append(values, MetricValue{e.Set, e.Result.Metric, metric.Value(e.Result.Mean)})
	}
	return values
}

// event returns the event to emit. Rounds that an earlier run has shown have a higher level, so they are
// emitted only with a higher verbosity.
func (e IterationEvent) event() study.Event {
	level := 1
	if e.Restored {
		level = 2
	}
	return study.Event{Kind: "iteration", Level: level, Text: e.String(), Fields: e}
}

func (e IterationEvent) String() string {
	if n := e.Network; n != nil {
		return fmt.Sprintf("[%d/%d] %s (%.3g s, loss %.5g, learning rate %.3g)", e.Iteration, e.Of, e.short(),
			float64(e.Seconds), float64(n.Loss), float64(n.LearningRate))
	}
	model := ""
	if e.Model > 0 {
		model = fmt.Sprintf("model %d ", e.Model)
	}
	return fmt.Sprintf("%s[%d/%d] %s (%.3g s, %d leaves)", model, e.Iteration, e.Of, e.short(),
		float64(e.Seconds), e.Leaves)
}

// short lists the metrics set by set. A metric that differs from the previous one only in the cut-off is
// written without its name: "valid_1 ndcg@1 0.47417 @5 0.58693".
func (e IterationEvent) short() string {
	var b strings.Builder
	set, family := "", ""
	for _, v := range e.Evaluations {
		if v.Set != set {
			if set != "" {
				b.WriteString("; ")
			}
			set, family = v.Set, ""
			b.WriteString(set)
		}
		name, cutoff, hasCutoff := strings.Cut(v.Metric, "@")
		if strings.Contains(cutoff, "@") { // a label
			hasCutoff = false
		}
		switch {
		case hasCutoff && name == family:
			b.WriteString(" @" + cutoff)
		default:
			b.WriteString(" " + v.Metric)
		}
		family = name
		fmt.Fprintf(&b, " %.5f", float64(v.Value))
	}
	for _, c := range e.Constraints {
		fmt.Fprintf(&b, "; %s weight %.3g", c.Constraint, c.Weight)
	}
	return b.String()
}

// only returns the event with the evaluations of the given metric alone.
func (e IterationEvent) only(metric string) IterationEvent {
	e.Evaluations = slices.DeleteFunc(slices.Clone(e.Evaluations),
		func(v MetricValue) bool { return v.Metric != metric })
	return e
}

// EpochFigures are the figures of an epoch that do not exist for trees.
type EpochFigures struct {
	Loss         metric.Value `json:"loss"`
	LearningRate metric.Value `json:"learning_rate"`
	Documents    int          `json:"documents"`
}
