package training

import "errors"

// Result is the result of a training run of a model of type M.
type Result[M any] struct {
	// Model has the state of the best round if early stopping is on, and of the last
	// round otherwise.
	Model M

	Rounds int // number of rounds that were completed
	Kept   int // the round whose state Model has

	// Constant is the reason why all documents have the same score, which is an error unless a parameter
	// allows it; nil if scores differ.
	Constant error

	Stopped StopReason

	// About the watched metric (Params.StopRule) on the watched set (Params.StopSet). All are zero if nothing
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

	// For an ensemble of several models; nil for a single model. Its members have Best, BestValue and
	// Watched.
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

// ReasonOf returns the reason why a run ended with an error: [Panicked] or [Failed].
func ReasonOf(err error) StopReason {
	var panicked *PanicError
	if errors.As(err, &panicked) {
		return Panicked
	}
	return Failed
}
