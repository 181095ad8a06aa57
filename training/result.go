package training

// Result is a finished training of a model of type M.
type Result[M any] struct {
	// Model has the state of the best round if early stopping is on, and of the last
	// round otherwise.
	Model M

	Rounds  int // done, in whole
	Kept    int // the round whose state Model has
	Stopped StopReason

	// Of the watched metric (Params.StopRule) on the watched set (Params.StopSet). All
	// are zero if nothing is watched, or if training ended before it was evaluated.
	Best      int // round, from 1
	BestValue float64
	Watched   string // such as "ndcg@10 on vali.txt"
}

// StopReason says why training ended.
type StopReason string

// The reasons.
const (
	Finished       StopReason = "all iterations done"
	StoppedEarly   StopReason = "stopped early"
	Cancelled      StopReason = "cancelled"
	NoSplitsRemain StopReason = "no split gains any more" // of trees
	Exploded       StopReason = "the loss exploded"       // of networks
)
