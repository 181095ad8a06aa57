// Package training has what runs of boosted trees (package booster) and of neural rankers (package
// nnbaseline) have in common: parameters, options, rounds and results. A round grows one tree, or is one
// epoch of a network.
//
// [Params] is embedded in the parameters of both packages, so its fields are set directly, as in p.Patience =
// 50. [Options] lets a caller observe the rounds, and evaluate metrics of their own; early stopping can watch
// such a metric. With [Checkpoints], a run that was interrupted continues and gives the model that it would
// have given. Train returns a [Result].
package training

import (
	"fmt"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/provenance"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/param"
)

// Data is a set of ranking data with its feature values in the form that is trained on, such as a matrix of
// bins. Training only reads it, so that several training runs may share one Data, also at the same time.
type Data[V any] struct {
	Name   string        // for messages and for Params.StopSet, such as a file's name
	Meta   *dataset.Meta // labels, queries and feature names
	Values V             // as many rows as Meta
}

// Options lets a caller observe a training run, and evaluate additional metrics. The zero value does neither,
// and nil functions are not called. Functions run on the goroutine that called Train, which waits for them,
// except that the second and later models of an ensemble may be trained before the calls for them.
type Options struct {
	// Round is called after every round, and for the rounds that a checkpoint restored.
	Round func(Round)

	// Step is called after every step of an epoch with the epoch's number, from 1, the
	// number of its queries that are done, and the number of all its queries. Trees
	// have no steps.
	Step func(round, done, of int)

	// Metrics are evaluated after those that Params.Metric names. Their names must be distinct, and
	// Params.StopMetric may be one of them; larger values are better.
	Metrics []metric.Metric

	// Checkpoints lets a training run that was interrupted continue; nil: there are none.
	Checkpoints *Checkpoints
}

// Round describes one round of a training run, which grew a tree or was an epoch of a network.
type Round struct {
	Number      int          // from 1
	Model       int          // of an ensemble, from 1; 0 if there is only one model
	Seconds     float64      // including evaluation
	Evaluations []Evaluation // empty if none are due (Params.MetricFreq)

	Bounds []Bound // the constraints of the run

	// Restored means that the round was done by an earlier run, whose checkpoint this one continued
	// from. Its evaluations have no values of single queries.
	Restored bool

	// For a tree; 0 for an epoch.
	Leaves int

	// For an epoch; 0 for a tree.
	Loss         float64 // mean over the queries trained on, each computed in its step
	LearningRate float64 // of its last step
	Documents    int     // number of documents trained on
}

// Evaluation is a metric on a set of data after a round.
type Evaluation struct {
	Set    string // Data.Name
	Result metric.Result
}

// Bound is a constraint after a round.
type Bound struct {
	Constraint string  `json:"constraint"`
	Set        string  `json:"set"`
	Least      float64 `json:"least"`
	Value      float64 `json:"value"`
	Weight     float64 `json:"weight"` // that was added to the label's objectives in the round
}

// String describes a bound in a line of the log.
func (b Bound) String() string {
	return fmt.Sprintf("%s on %s: %.5f, weight %.3g", b.Constraint, b.Set, b.Value, b.Weight)
}

// Met reports whether the constraint is met.
func (b Bound) Met() bool { return b.Value >= b.Least }

// Result is the result of a training run of a model of type M.
type Result[M any] struct {
	// Model is the state of the best round if early stopping is on or there are constraints, and of the last
	// round otherwise.
	Model M

	Rounds int // number of rounds that were completed
	Kept   int // the round whose state Model has

	// Constant is the reason why all documents have the same score, which is an error unless a parameter
	// allows it; nil if scores differ.
	Constant error

	Stopped StopReason

	// About the watched metric (Params.StopMetric) on the watched set (Params.StopSet). All are zero if nothing
	// is watched, or if training ended before the first evaluation.
	Best      int // round, from 1
	BestValue float64
	Watched   string // such as "ndcg@10 on vali.txt"

	// PositionBiases are what training has learned about the positions of the training data
	// (dataset.Meta.Positions), in all rounds; nil if there are none, or if the objective does not use them.
	PositionBiases []PositionBias

	// ActiveShares are the shares of the rows that the trees of Model grew on, in their order, if training chose
	// them; otherwise nil.
	ActiveShares []float64

	Bounds []Bound // the constraints, as they are in Model; nil if there are none

	// For an ensemble of several models; nil for a single model. Its members have Best, BestValue and Watched.
	Members     []Member[M]
	Evaluations []Evaluation // of the ensemble, as in a Round
}

// PositionBias is the amount that a position adds to a document's score in the model of clicks.
type PositionBias struct {
	Position string
	Bias     float64
}

// Member is a model of an ensemble.
type Member[M any] struct {
	Result[M] // of the run of this model alone

	Objective string
	Seed      uint64
	Spread    float64 // standard deviation of the scores within queries of the training data
	Factor    float64 // that multiplies the model's values in the ensemble
}

// StopReason is the reason why training ended.
type StopReason string

// The values of StopReason.
const (
	Finished       StopReason = "all iterations done"
	StoppedEarly   StopReason = "stopped early"
	Canceled       StopReason = "cancelled"
	NoSplitsRemain StopReason = "no split gains any more" // of trees
	Panicked       StopReason = "panic"                   // with a [*PanicError]
	Failed         StopReason = "error"                   // with another error
	Exploded       StopReason = "the loss exploded"       // of networks
)

// PanicError means that the code of a run, or a function that the caller has given to it, has panicked. The
// rounds before are not lost: Train returns their model.
type PanicError struct {
	Value  any      // what the code panicked with
	Stack  []string // innermost first: function, file and line
	Rounds int      // that were complete
}

func (e *PanicError) Error() string {
	where := "an unknown place"
	if len(e.Stack) > 0 {
		where = e.Stack[0]
	}
	return fmt.Sprintf("panic after %s, in %s: %v", wording.Count(e.Rounds, "round"), where, e.Value)
}

// Unwrap returns the panic's value if it is an error, and nil otherwise.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Params are the parameters of rounds, which those of trees and of networks embed. Names and meanings are
// LightGBM's where it has the parameter.
type Params struct {
	Seed       uint64 // decides all random draws
	NumThreads int    // 0: one for each processor. The model does not depend on it

	// Evaluation.
	Metric           []string // names, with a cut-off ("ndcg@10") or without, for each of EvalAt ("ndcg")
	EvalAt           []int    // cut-offs, 0 for all ranks; nil: see [metric.AtCutoffs]
	MetricConvention string   // preset of package metric ([metric.ConventionByName]), such as "lightgbm"
	MetricFreq       int      // rounds between evaluations, unless early stopping or a schedule needs each
	IsTrainingMetric bool     // evaluate the training data too

	// Early stopping: training ends when StopMetric on StopSet has not risen by more
	// than MinDelta above its best for Patience rounds. The model has the state of the
	// best round.
	Patience   int     // 0: never stop early
	StopMetric string  // one metric at one cut-off; empty: the first of Metric at the last of its cut-offs
	StopSet    string  // name of a validation set; empty: the first one
	MinDelta   float64 // a smaller rise does not count

	// AnyMetricStops ends training as soon as any metric, at its last cut-off, has not risen on any
	// validation set (LightGBM's first_metric_only=false); the model has the state of that metric's best
	// round. StopMetric and StopSet must be empty then. For trees only.
	AnyMetricStops bool

	// For trees only: metrics that must reach a value ("ndcg@10@click>=0.42") on a set, and its name; empty:
	// the first validation set. The model has the state of the best round: of two, the one that falls short by
	// less, and else the one with the larger StopMetric.
	Constraint    []string
	ConstraintSet string
}

// DefaultParams returns LightGBM's defaults.
func DefaultParams() Params {
	return Params{
		Metric:           []string{"ndcg"},
		MetricConvention: metric.Default().Name,
		MetricFreq:       1,
	}
}

// Judging are the parameters that decide what a ranking is worth to a metric.
type Judging struct {
	MetricConvention string      // as in [Params]
	LabelGain        metric.Gain // worth of a relevance grade, for the conventions that do not have their own
}

// JudgingOf returns the values that parameters state, and the defaults of what they do not state, which may
// be all: LightGBM has no parameter for the convention.
func JudgingOf(parameters []param.Setting) Judging {
	j := Judging{MetricConvention: metric.Default().Name, LabelGain: metric.Exp2()}
	name := provenance.Value(parameters, "metric_convention")
	if _, err := metric.ConventionByName(name, j.LabelGain); err == nil {
		j.MetricConvention = name
	}
	if gain := provenance.Value(parameters, "label_gain"); gain != "" {
		_ = metric.GainValue(&j.LabelGain).Set(gain) // does not change it for a value of another program
	}
	return j
}

// String returns the parameters as they are given.
func (j Judging) String() string {
	return fmt.Sprintf("metric_convention=%s label_gain=%v", j.MetricConvention, j.LabelGain)
}

// Convention returns the convention. The error is that of [metric.ConventionByName].
func (j Judging) Convention() (metric.Convention, error) {
	return metric.ConventionByName(j.MetricConvention, j.LabelGain)
}
