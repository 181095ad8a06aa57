package training

import "github.com/lambdamart/lambdamart/metric"

// Round describes one round of a training run, which grew a tree or was an epoch of a network.
type Round struct {
	Number      int          // from 1
	Model       int          // of an ensemble, from 1; 0 if there is only one model
	Seconds     float64      // including evaluation
	Evaluations []Evaluation // empty if none are due (Params.MetricFreq)

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

	// Until is asked before each round. If it reports true, the run ends as if its context were canceled.
	// The models of an ensemble may ask it from several goroutines.
	Until func() bool

	// Checkpoints lets a training run that was interrupted continue; nil: there are none.
	Checkpoints *Checkpoints
}
