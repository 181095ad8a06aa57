package nnbaseline

import (
	"context"
	"fmt"
	"math"

	"github.com/lambdamart/lambdamart/internal/gemm"
	"github.com/lambdamart/lambdamart/training"
)

// round trains on all queries that teach something, in an order of
// the epoch's own.
func (t *trainer) round(ctx context.Context, r *training.Round) (training.StopReason, error) {
	if t.before == nil {
		t.before = newNetwork(t.network.shape)
	}
	t.before.copyFrom(t.network)
	t.within = true
	reason, err := t.epoch(ctx, r)
	t.within = false
	return reason, err
}

// epoch does the work of round.
func (t *trainer) epoch(ctx context.Context, r *training.Round) (training.StopReason, error) {
	t.stop = func() bool { return ctx.Err() != nil }
	if math.IsInf(t.bound, 1) {
		t.bound = t.explosionBound()
	}
	t.shuffle(r.Number)
	for done := 0; done < len(t.queries); {
		if ctx.Err() != nil {
			return t.endOr(training.Canceled, r)
		}
		batch := t.queries[done:min(len(t.queries), done+t.params.BatchQueries)]
		r.LearningRate = t.schedule.rate(r.Number, t.steps+1)
		loss := t.step(batch, r.LearningRate)
		if t.isCanceled() {
			return t.endOr(training.Canceled, r)
		}
		if !(loss <= t.bound) { // or NaN
			return t.explode(r, loss)
		}
		r.Loss += float64(loss * float64(len(batch)))
		r.Documents += t.pass.rows
		done += len(batch)
		if t.onStep != nil {
			t.onStep(r.Number, done, len(t.queries))
		}
	}
	r.Loss /= float64(len(t.queries))
	return t.endOr("", r)
}

// endOr ends an epoch, and the run if a reason is given. It is an explosion if the last step made a weight
// infinite or NaN.
func (t *trainer) endOr(reason training.StopReason, r *training.Round) (training.StopReason, error) {
	if !t.network.finite() {
		return t.explode(r, math.NaN())
	}
	if reason == "" && (!t.watched || t.kept == nil) {
		t.keep()
	}
	return reason, nil
}

// explode ends the run because the loss is too large or NaN. It returns an error if
// no epoch was completed before.
func (t *trainer) explode(r *training.Round, loss float64) (training.StopReason, error) {
	t.explosion = &explosionError{r.Number, t.steps, r.LearningRate, loss}
	if t.kept == nil {
		return "", t.explosion
	}
	return training.Exploded, nil
}

// keep remembers the current weights.
func (t *trainer) keep() {
	if t.kept == nil {
		t.kept = newNetwork(t.network.shape)
	}
	t.kept.copyFrom(t.network)
}

// evaluateOn makes the trainer score these sets whenever metrics are due. It returns an error if
// a set has a NaN for which the network has no value.
func (t *trainer) evaluateOn(sets []Data) error {
	t.sets = sets
	for _, set := range sets {
		if err := t.inputs.checkNaN(set.Values, t.pool); err != nil {
			return fmt.Errorf("%s: %w", set.Name, inFile(set.Meta, err))
		}
		t.setScores = append(t.setScores, make([]float64, set.Meta.NumRows()))
	}
	return nil
}

// Scores implements [rounds.Learner].
func (t *trainer) Scores() ([][]float64, error) {
	m := t.model(t.network)
	for i, set := range t.sets {
		scores := t.setScores[i]
		if err := m.ScoreData(scores, set, t.params.NumThreads); err != nil {
			return nil, fmt.Errorf("%s: %w", set.Name, err)
		}
		for row := range set.Meta.InitialScores {
			scores[row] += set.Meta.InitialScores[row]
		}
	}
	return t.setScores, nil
}

// See implements [rounds.Learner].
func (t *trainer) See(epoch int, value float64, best bool) {
	t.schedule.see(epoch, value)
	if best {
		t.keep()
	}
}

// KeepsRounds implements [rounds.Learner].
func (t *trainer) KeepsRounds() bool { return false }

// Model implements [rounds.Learner]. After an explosion the current weights are useless, so the model has
// the weights that were kept; after a panic in an epoch, it has those before the epoch.
func (t *trainer) Model(epoch int) *Model {
	switch {
	case epoch > 0 || t.explosion != nil:
		return t.model(t.kept)
	case t.within:
		return t.model(t.before)
	}
	return t.model(t.network)
}

// model wraps a network for scoring.
func (t *trainer) model(n *network) *Model {
	return newModel(t.params.Ranker, t.params.record(), *t.inputs, n)
}

// Constants of Adam: PyTorch's defaults, from Kingma and Ba, Adam, ICLR 2015.
const (
	beta1       = 0.9
	beta2       = 0.999
	adamEpsilon = 1e-8
)

// optimizer converts gradients to steps. [gemm.AdamStep] has the formulas.
type optimizer struct {
	decay     float64
	decoupled bool    // the decay is not part of the gradient (AdamW)
	clip      float64 // largest norm of a gradient; 0: any

	mean, square []float32 // running means of the gradients and of their squares, by weight
	kept1, kept2 float64   // beta1 and beta2 to the power of the number of steps
}

func newOptimizer(p *Params, weights int) *optimizer {
	return &optimizer{
		decay: p.WeightDecay, decoupled: p.Optimizer == AdamW, clip: p.GradientClip,
		mean: make([]float32, weights), square: make([]float32, weights), kept1: 1, kept2: 1,
	}
}

// next returns the step for a gradient, and counts it.
func (o *optimizer) next(rate float64, gradient []float32) gemm.AdamStep {
	o.kept1 = float64(o.kept1 * beta1)
	o.kept2 = float64(o.kept2 * beta2)
	step := gemm.AdamStep{
		Scale: 1, Shrink: 1, Decay: float32(o.decay),
		MeanRate: 1 - beta1, SquareKept: beta2, SquareRate: 1 - beta2,
		Rate: float32(rate / (1 - o.kept1)), Root: float32(1 / math.Sqrt(1-o.kept2)), Epsilon: adamEpsilon,
	}
	if o.decoupled {
		step.Decay, step.Shrink = 0, float32(1-float64(rate*o.decay))
	}
	if o.clip > 0 {
		norm := math.Sqrt(squaresAround(0, gradient))
		step.Scale = float32(math.Min(1, o.clip/norm))
	}
	return step
}

// schedule determines the learning rate of each step.
type schedule struct {
	params *Params
	steps  int // of the complete training run

	// For plateau.
	falls   int     // number of times that the learning rate fell
	since   int     // epoch of the latest rise of the stop metric, or fall of the learning rate
	highest float64 // highest value of the stop metric so far
}

func newSchedule(p *Params, steps int) *schedule {
	return &schedule{params: p, steps: steps, highest: math.Inf(-1)}
}

// rate returns the learning rate of a step in an epoch; both count from 1. With cosine, the first step has
// the full rate, and a step after the last one would have the rate 0. (Loshchilov and Hutter, SGDR, ICLR
// 2017, equation 5 without restarts.)
func (s *schedule) rate(epoch, step int) float64 {
	p := s.params
	switch p.Schedule {
	case Cosine:
		return p.LearningRate * (1 + math.Cos(math.Pi*float64(step-1)/float64(s.steps))) / 2
	case Step:
		return float64(p.LearningRate * math.Pow(p.ScheduleFactor, float64((epoch-1)/p.ScheduleEpochs)))
	case Plateau:
		return float64(p.LearningRate * math.Pow(p.ScheduleFactor, float64(s.falls)))
	default:
		return p.LearningRate
	}
}

// see records the value of the stop metric after an epoch.
func (s *schedule) see(epoch int, value float64) {
	switch {
	case value > s.highest:
		s.highest, s.since = value, epoch
	case epoch-s.since >= s.params.ScheduleEpochs:
		s.falls++
		s.since = epoch
	}
}
