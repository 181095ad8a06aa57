package experiment

import (
	"context"
	"io"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/param"
)

// learner trains models of one kind, with one set of parameters.
type learner interface {
	// table returns the parameters, bound to the learner.
	table() param.Table

	// validate finds what is wrong with all parameters together.
	validate() error

	// train trains on a fold. When ctx is cancelled it ends with the iteration at
	// hand and returns the model as far as it is.
	train(ctx context.Context, f *fold, t training) (*fitted, error)
}

// training is what an experiment says about each training.
type training struct {
	seed      uint64
	metric    string // that decides
	judge     judge
	threads   int
	limit     int         // iterations; 0 is no limit but the ranker's own
	begin     func()      // is called when data has been read and time begins to count
	iteration func(Round) // is told of each iteration

	// within is told how many of an iteration's queries are done.
	within func(iteration, iterations, done, of int)
}

// stoppedByContext is the reason for the end of a training that was cancelled.
const stoppedByContext = string(booster.Cancelled)

// Round is an iteration of a training.
type Round struct {
	Iteration, Of int
	Seconds       float64 // it took
	Value         float64 // of the metric on the validation queries
}

// fitted is a trained model.
type fitted struct {
	model
	iterations int    // done
	kept       int    // the best on the validation queries
	stopped    string // why training ended
	warning    string // what a reader should know; empty if nothing
	importance []Importance
}

// model scores documents.
type model interface {
	// newScorer returns a function that scores rows of features, row-major, and
	// that one goroutine uses at a time.
	newScorer() func(dst, rows []float64) error

	// write writes the model as train does.
	write(w io.Writer) error
}

// Importance is how much a feature matters to a model.
type Importance struct {
	Feature string  `json:"feature"`
	Share   float64 `json:"share"` // of the gain of all splits
}
