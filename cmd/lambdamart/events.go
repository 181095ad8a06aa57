package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lambdamart/lambdamart/internal/digits"
	"github.com/lambdamart/lambdamart/training"
)

// noteEvent is information that the user may need.
type noteEvent struct {
	Message string `json:"message"`
}

func (e noteEvent) kind() string   { return "note" }
func (e noteEvent) level() int     { return 1 }
func (e noteEvent) String() string { return "note: " + e.Message }

// warningEvent is something that the user probably did not intend.
type warningEvent struct {
	Message string `json:"message"`
}

func (e warningEvent) kind() string   { return "warning" }
func (e warningEvent) level() int     { return 0 }
func (e warningEvent) String() string { return "warning: " + e.Message }

// errorEvent is the reason why the program ends with an error.
type errorEvent struct {
	Message string `json:"message"`
}

func (e errorEvent) kind() string   { return "error" }
func (e errorEvent) level() int     { return -1 << 31 }
func (e errorEvent) String() string { return prefixed(e.Message) }

// prefixed puts the program's name before each line.
func prefixed(message string) string {
	return "lambdamart: " + strings.ReplaceAll(message, "\n", "\nlambdamart: ")
}

// stoppedEvent says why training, or the program, ended.
type stoppedEvent struct {
	Message    string `json:"message"`
	Iterations int    `json:"iterations,omitempty"`
}

func (e stoppedEvent) kind() string   { return "stopped" }
func (e stoppedEvent) level() int     { return 1 }
func (e stoppedEvent) String() string { return e.Message }

// iterationEvent is one iteration of training: a tree, or an epoch of a network.
type iterationEvent struct {
	Iteration   int           `json:"iteration"`
	Of          int           `json:"of"`
	Leaves      int           `json:"leaves,omitempty"`
	Seconds     number        `json:"seconds"`
	Evaluations []metricValue `json:"evaluations"`
	Network     *epochFigures `json:"network,omitempty"` // figures of an epoch; nil for a tree
}

// metricValue is a metric on one set of data.
type metricValue struct {
	Set    string `json:"set"`
	Metric string `json:"metric"`
	Value  number `json:"value"`
}

func newIterationEvent(round training.Round, of int) iterationEvent {
	e := iterationEvent{Iteration: round.Number, Of: of, Leaves: round.Leaves, Seconds: number(round.Seconds), Evaluations: []metricValue{}}
	for _, evaluation := range round.Evaluations {
		e.Evaluations = append(e.Evaluations, metricValue{evaluation.Set, evaluation.Result.Metric, number(evaluation.Result.Mean)})
	}
	return e
}

func (e iterationEvent) kind() string { return "iteration" }
func (e iterationEvent) level() int   { return 1 }

func (e iterationEvent) String() string {
	if n := e.Network; n != nil {
		return fmt.Sprintf("[%d/%d] %s (%.3g s, loss %.5g, learning rate %.3g)", e.Iteration, e.Of, e.short(), float64(e.Seconds), float64(n.Loss), float64(n.LearningRate))
	}
	return fmt.Sprintf("[%d/%d] %s (%.3g s, %d leaves)", e.Iteration, e.Of, e.short(), float64(e.Seconds), e.Leaves)
}

// short lists the metrics of one set after the other. A metric that differs from the previous one only
// in the cut-off is written without its name: "valid_1 ndcg@1 0.47417 @5 0.58693".
func (e iterationEvent) short() string {
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
		switch {
		case hasCutoff && name == family:
			b.WriteString(" @" + cutoff)
		default:
			b.WriteString(" " + v.Metric)
		}
		family = name
		fmt.Fprintf(&b, " %.5f", float64(v.Value))
	}
	return b.String()
}

// only returns the event with only the evaluations by the given metric.
func (e iterationEvent) only(metric string) iterationEvent {
	e.Evaluations = slices.DeleteFunc(slices.Clone(e.Evaluations), func(v metricValue) bool { return v.Metric != metric })
	return e
}

// bestEvent is the best iteration by the stop metric.
type bestEvent struct {
	Iteration int    `json:"iteration"`
	Watched   string `json:"watched"`
	Value     number `json:"value"`
	Kept      int    `json:"trees_kept"`
}

func (e bestEvent) kind() string { return "best" }
func (e bestEvent) level() int   { return 1 }

func (e bestEvent) String() string {
	return fmt.Sprintf("best iteration: %d (%s %.5f); the model keeps %d trees", e.Iteration, e.Watched, float64(e.Value), e.Kept)
}

// savedEvent is a file that has been written.
type savedEvent struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

func (e savedEvent) kind() string { return "saved" }
func (e savedEvent) level() int   { return 1 }

func (e savedEvent) String() string {
	return fmt.Sprintf("wrote %s (%s bytes, sha256 %s)", e.Path, thousands(e.Bytes), e.SHA256)
}

// thousands writes n with commas: 1,234,567.
func thousands[T int | int64](n T) string { return digits.Thousands(n) }
