package objective

// Whole is an [Objective] that computes the gradients of all queries at once, such as one that another
// process computes. Training calls All once in each iteration instead of Gradients for each query,
// from one goroutine.
type Whole interface {
	Objective

	// All writes the lambda and the Hessian of every row, by the rules of [Objective.Gradients], to dst,
	// which has an entry for each row. An error ends training. With bagging, All also computes the rows of
	// queries that are not in the bag, which are not used.
	All(dst Gradients, r Round) error
}

// Round is the input of a [Whole] in an iteration.
type Round struct {
	Scores    []float64   // by row: sums of initial scores and trees so far. They are only read, and not kept
	Iteration int         // number of the tree that the gradients are for, from 1
	Seed      uint64      // parameter seed of the training run
	Canceled  func() bool // as in [Query]
}
