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
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/metric"
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
