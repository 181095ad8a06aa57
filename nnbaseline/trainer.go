package nnbaseline

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/pairwise"
	"github.com/lambdamart/lambdamart/internal/par"
	"github.com/lambdamart/lambdamart/internal/random"
	"github.com/lambdamart/lambdamart/internal/reuse"
)

// trainer is the state of a training run.
type trainer struct {
	params *Params
	data   Data
	inputs *inputs
	pool   *par.Pool

	network   *network
	pass      *pass
	loss      loss
	optimizer *optimizer
	schedule  *schedule

	queries []int32       // numbers of the queries that the loss learns from, in the order of the current epoch
	single  int           // queries with one document, which teach nothing
	equal   int           // others, whose labels are all equal
	bound   float64       // a loss above it counts as an explosion; infinite until the first epoch
	stop    pairwise.Stop // reports whether the run was canceled; nil: it was not
	slopes  []float64     // derivatives with respect to the scores of a query
	scores  []float64     // of a query

	steps int // number of steps done
	// of the best epoch if a metric is watched, of the last one otherwise; nil before the first
	kept      *network
	before    *network // the values before the current epoch, for a panic within it; nil before the first
	within    bool     // an epoch is in progress
	explosion *explosionError

	sets      []Data                    // sets that are evaluated
	setScores [][]float64               // of the rows of each of sets
	watched   bool                      // a metric decides which epoch is the best
	onStep    func(epoch, done, of int) // is called after each step; may be nil
}

// newTrainer learns the inputs from the training data and makes a new network. The caller closes the trainer.
func newTrainer(p *Params, train Data) (*trainer, error) {
	t := &trainer{params: p, data: train, loss: newLoss(p)}
	if t.queries, t.single, t.equal = teaching(t.loss, train.Meta); len(t.queries) == 0 {
		return nil, fmt.Errorf("data %q: %w", train.Name, ErrNothingToLearn)
	}
	threads := par.Threads(p.NumThreads)
	t.pool = par.New(threads)
	var err error
	if t.inputs, err = learnInputs(p, train, t.pool); err != nil {
		t.close()
		return nil, inFile(train.Meta, err)
	}
	t.network = newNetwork(p.shape(len(t.inputs.features)))
	t.network.initialize(p.Seed)
	shared := t.pool
	if threads == 1 {
		shared = nil
	}
	t.pass = newPass(t.network, p.Dropout, p.Seed, shared)
	t.optimizer = newOptimizer(p, len(t.network.weights))
	perEpoch := (len(t.queries) + p.BatchQueries - 1) / p.BatchQueries
	t.schedule = newSchedule(p, p.Epochs*perEpoch)
	t.bound = math.Inf(1)
	return t, nil
}

func (t *trainer) close() { t.pool.Close() }

// shuffle puts the queries into the order of an epoch. It shuffles the order of the epoch before.
// (The algorithm is Fisher and Yates's, in Durstenfeld's form.)
func (t *trainer) shuffle(epoch int) {
	key := random.New(t.params.Seed, random.QueryOrder, epoch)
	for i := len(t.queries) - 1; i > 0; i-- {
		j, _ := bits.Mul64(key.Uint64(i), uint64(i+1))
		t.queries[i], t.queries[j] = t.queries[j], t.queries[i]
	}
}

// step trains on some queries and returns the mean of their losses before the step. If the run is canceled
// meanwhile, it learns nothing, and the loss has no meaning.
func (t *trainer) step(queries []int32, rate float64) float64 {
	t.steps++
	t.gather(queries)
	t.pass.step = t.steps
	loss := t.differentiate(queries, t.pass.forward())
	if !(loss <= t.bound) || t.isCanceled() {
		return loss
	}
	t.pass.backward()
	t.learn(rate)
	return loss
}

// gather puts the inputs of all rows of some queries into one matrix.
func (t *trainer) gather(queries []int32) {
	rows := 0
	for _, number := range queries {
		rows += t.data.Meta.Queries[number].Len
	}
	t.pass.resize(rows)
	n, at := len(t.inputs.features), 0
	for _, number := range queries {
		q := t.data.Meta.Queries[number]
		for row := q.First; row < q.First+q.Len; row++ {
			t.inputs.standardize(t.pass.inputs[at*n:][:n], t.data.Values.row(row))
			t.pass.rowNumbers[at] = int32(row)
			at++
		}
	}
}

// differentiate returns the mean loss of some queries, and writes its derivatives with respect to the
// scores into the pass. The weight of a row multiplies its derivative, as in trees.
func (t *trainer) differentiate(queries []int32, scores []float32) float64 {
	errors, total, at := t.pass.scoreErrors(), 0.0, 0
	share := 1 / float64(len(queries))
	for _, number := range queries {
		q := t.data.Meta.Queries[number]
		t.scores, t.slopes = reuse.Slice(t.scores, q.Len), reuse.Slice(t.slopes, q.Len)
		for i := range t.scores {
			t.scores[i] = float64(scores[at+i]) + initialScore(t.data.Meta, q.First+i)
		}
		total += t.loss.of(t.slopes, t.query(int(number), q), t.scores)
		for i, slope := range t.slopes {
			if t.data.Meta.Weights != nil {
				slope *= t.data.Meta.Weights[q.First+i]
			}
			errors[at+i] = float32(slope * share)
		}
		at += q.Len
	}
	return float64(total * share)
}

// initialScore returns the score of a row to which the network adds its own.
func initialScore(data *dataset.Meta, row int) float64 {
	if data.InitialScores == nil {
		return 0
	}
	return data.InitialScores[row]
}

func (t *trainer) query(number int, q dataset.Query) query {
	return query{number: number, first: q.First, labels: t.data.Meta.Labels[q.First : q.First+q.Len],
		step: t.steps, stop: t.stop}
}

// isCanceled reports whether the run was canceled.
func (t *trainer) isCanceled() bool { return t.stop != nil && t.stop() }

// learn changes the weights by the gradient. Some losses do not depend on the last bias, so its derivative
// consists of rounding errors. Adam would turn these into steps of full size, so they are set to 0.
func (t *trainer) learn(rate float64) {
	if t.loss.shiftable() {
		clear(t.pass.layers[len(t.pass.layers)-1].bias)
	}
	step := t.optimizer.next(rate, t.pass.gradient)
	if t.pass.pool == nil {
		step.Update(t.network.weights, t.optimizer.mean, t.optimizer.square, t.pass.gradient)
		return
	}
	const block = 1 << 14
	t.pool.Blocks(len(t.network.weights), block, func(_, from, to int) {
		step.Update(t.network.weights[from:to], t.optimizer.mean[from:to], t.optimizer.square[from:to],
			t.pass.gradient[from:to])
	})
}

// explosionBound returns ten thousand times the largest loss that the initial scores have on any query. A
// network with a larger loss has certainly diverged.
func (t *trainer) explosionBound() float64 {
	most := 0.0
	for _, number := range t.queries {
		if t.isCanceled() {
			break
		}
		q := t.data.Meta.Queries[number]
		t.scores, t.slopes = reuse.Slice(t.scores, q.Len), reuse.Slice(t.slopes, q.Len)
		for i := range t.scores {
			t.scores[i] = initialScore(t.data.Meta, q.First+i)
		}
		most = math.Max(most, t.loss.of(t.slopes, t.query(int(number), q), t.scores))
	}
	return float64(1e4 * (1 + most))
}
