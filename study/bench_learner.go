package study

import (
	"context"
	"io"
	"time"

	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
)

// rankerLearner trains models of one kind with one set of parameters.
type rankerLearner interface {
	// table returns the parameters, bound to the learner.
	table() param.Table

	// validate returns all errors of the parameters.
	validate() error

	// train trains on a fold. When ctx is canceled, it stops after the current tree or step and returns the
	// model so far.
	train(ctx context.Context, f *splitData, t runTerms) (*fittedRanker, error)
}

// runTerms are the settings that an experiment determines for a training run.
type runTerms struct {
	seed    uint64
	metric  string // metric that chooses the iteration
	judge   judges
	threads int
	limit   int     // largest number of rounds; 0: only the limit of the ranker's parameters
	seconds float64 // time limit of a run, not counting reading of data; 0: no limit

	round func(r training.Round, of int)    // is called after each round
	step  func(round, rounds, done, of int) // is called after each step of a round that has steps
	// is called with the metrics of an ensemble, which are not in any round
	judged func(iteration int, e []training.Evaluation)
}

// setOn sets the parameters that the experiment determines. Only the metric that chooses the iteration is
// evaluated, on the validation queries after every round.
func (t *runTerms) setOn(p *training.Params) {
	p.Seed, p.NumThreads = t.seed, t.threads
	p.Metric, p.StopMetric, p.MetricConvention, p.MetricFreq = nil, t.metric, t.judge.convention, 1
	p.StopSet, p.IsTrainingMetric = "", false
}

// limited returns the number of rounds of a training run whose parameters request the given number.
func (t *runTerms) limited(rounds int) int {
	if t.limit > 0 {
		return min(rounds, t.limit)
	}
	return rounds
}

// options returns the options of a run of this many rounds, whose time limit starts now.
func (t *runTerms) options(rounds int) training.Options {
	o := training.Options{
		Round: func(r training.Round) { t.round(r, rounds) },
		Step:  func(round, done, of int) { t.step(round, rounds, done, of) },
	}
	if t.seconds > 0 {
		deadline := time.Now().Add(time.Duration(t.seconds * float64(time.Second)))
		o.Until = func() bool { return time.Now().After(deadline) }
	}
	return o
}

// fittedRanker is a trained model.
type fittedRanker struct {
	score func(dst, rows []float64) error // scores a query; rows have the features of the data, row-major
	write func(w io.Writer) error         // writes the model in its storage format

	iterations int    // number of iterations that were done
	kept       int    // iteration, from 1: the best on the validation queries
	stopped    string // why training ended
	warning    string // about the run; may be empty
	remark     string // about the course of the run, reported once; may be empty
	importance []gainShare
}

// gainShare is the importance of a feature in a model.
type gainShare struct {
	Feature string  `json:"feature"`
	Share   float64 `json:"share"` // of the gain of all splits
}
