package experiment

import (
	"context"
	"io"

	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
)

// learner trains models of one kind, with one set of parameters.
type learner interface {
	// table returns the parameters, bound to the learner.
	table() param.Table

	// validate finds what is wrong with all parameters together.
	validate() error

	// train trains on a fold. When ctx is cancelled it ends after the current tree
	// or step, and returns the model so far.
	train(ctx context.Context, f *fold, t terms) (*fitted, error)
}

// terms are what an experiment says about one training.
type terms struct {
	seed    uint64
	metric  string // that decides
	judge   judge
	threads int
	limit   int    // of rounds; 0 is no limit but the ranker's own
	begin   func() // is called when data has been read and time begins to count

	round func(r training.Round, of int)    // is called after each round
	step  func(round, rounds, done, of int) // is called after each step of a round that has steps
}

// setOn sets the parameters that the experiment decides. The metric that decides is the
// only one that is evaluated, on validation queries after every round.
func (t *terms) setOn(p *training.Params) {
	p.Seed, p.NumThreads = t.seed, t.threads
	p.Metric, p.StopMetric, p.MetricConvention, p.MetricFreq = nil, t.metric, t.judge.convention, 1
	p.StopSet, p.IsTrainingMetric = "", false
}

// limited returns the number of rounds of a training that wants so many.
func (t *terms) limited(rounds int) int {
	if t.limit > 0 {
		return min(rounds, t.limit)
	}
	return rounds
}

// options returns hooks for a training of so many rounds.
func (t *terms) options(rounds int) training.Options {
	return training.Options{
		Round: func(r training.Round) { t.round(r, rounds) },
		Step:  func(round, done, of int) { t.step(round, rounds, done, of) },
	}
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
