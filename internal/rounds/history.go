package rounds

import (
	"errors"
	"fmt"
	"io"

	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/training"
)

// history records the rounds of a run, from which its checkpoints are made.
type history struct {
	evaluator *Evaluator
	resumable Resumable // nil if the learner cannot be stored

	header checkpointHeader // of the rounds so far; without facts until the first checkpoint
	state  []byte           // state of the learner after the latest round, if a round may be done in part
}

// facts sets the facts of the header. It reads all data once, and is called when they are needed.
func (h *history) facts() {
	if h.header.Facts == nil {
		h.header.Facts = append(h.resumable.Facts(), h.evaluator.facts()...)
	}
}

// restore sets the state of the learner and of the evaluator to that of a checkpoint, and returns the reason
// why the run that wrote it had ended; empty if it had not.
func (h *history) restore(checkpoint []byte) (training.StopReason, error) {
	s, err := decodeSnapshot(checkpoint)
	if err != nil {
		return "", err
	}
	h.facts()
	if all := differences(h.header.Facts, s.Facts); len(all) > 0 {
		return "", &mismatchError{differences: all}
	}
	now, e := &s.checkpointHeader, h.evaluator
	if now.Round > e.rounds {
		return "", fmt.Errorf("%w: it is of round %d of %d", training.ErrCheckpointDamaged, now.Round, e.rounds)
	}
	for _, r := range now.Rounds {
		if n := len(r.Means); n != 0 && n != len(e.usual) {
			return "", fmt.Errorf("%w: it has %s on sets, and there are %d", training.ErrCheckpointDamaged,
				wording.Count(n, "metric"), len(e.usual))
		}
	}
	if err := h.resumable.Restore(s.State, now.Round); err != nil {
		return "", err
	}
	now.Facts = h.header.Facts
	h.header, h.state = *now, s.State
	return h.restoreStopping()
}

// restoreStopping replays early stopping up to the latest round, and returns the reason if it ends the run.
func (h *history) restoreStopping() (reason training.StopReason, err error) {
	now, stop := &h.header, false
	for number, r := range now.Rounds {
		if stop = false; len(r.Means) > 0 && h.evaluator.Watches() {
			_, stop = h.evaluator.see(number+1, func(place int) float64 { return float64(r.Means[place]) })
		}
	}
	if best := h.evaluator.decides.round; best != now.Best {
		return "", fmt.Errorf("%w: round %d is the best one, and it names %d", training.ErrCheckpointDamaged, best,
			now.Best)
	}
	if stop {
		return training.StoppedEarly, nil
	}
	return "", nil
}

// restored returns a round that was done before, counted from 0.
func (h *history) restored(number int) training.Round {
	r := &h.header.Rounds[number]
	round := training.Round{Number: number + 1, Restored: true, Seconds: float64(r.Seconds), Leaves: r.Leaves,
		Loss: float64(r.Loss), LearningRate: float64(r.LearningRate), Documents: r.Documents}
	mean := func(place int) float64 { return float64(r.Means[place]) }
	if n := len(r.Weights); n > 0 && n == len(h.evaluator.bounds.all) {
		weights := make([]float64, len(r.Weights))
		for i, w := range r.Weights {
			weights[i] = float64(w)
		}
		round.Bounds = h.evaluator.bounds.after(mean, weights)
	}
	for i, mean := range r.Means {
		e := h.evaluator.usual[i]
		e.Result.Mean, e.Result.Tied = float64(mean), r.Tied[i]
		round.Evaluations = append(round.Evaluations, e)
	}
	return round
}

// note adds a round to the header.
func (h *history) note(r *training.Round) (err error) {
	n := record{Seconds: exactFloat(r.Seconds), Leaves: r.Leaves, Loss: exactFloat(r.Loss),
		LearningRate: exactFloat(r.LearningRate), Documents: r.Documents}
	for _, e := range r.Evaluations {
		n.Means, n.Tied = append(n.Means, exactFloat(e.Result.Mean)), append(n.Tied, e.Result.Tied)
	}
	for _, b := range r.Bounds {
		n.Weights = append(n.Weights, exactFloat(b.Weight))
	}
	h.header.Rounds = append(h.header.Rounds, n)
	if h.resumable != nil && h.resumable.Breaks() {
		h.state, err = h.resumable.State()
	}
	return err
}

// Restore puts a new run, which has done no round, into the state that Save wrote. The error wraps
// [training.ErrCheckpointMismatch] if Save was called on a run with other data or parameters; for other
// faults it wraps [training.ErrCheckpointDamaged] or [training.ErrCheckpointVersion]. After an error the run
// must not be used.
func (r *Run[M]) Restore(from io.Reader) error {
	switch {
	case r.resumable == nil:
		return fmt.Errorf("%w: %T", training.ErrNotResumable, r.learner)
	case r.done() > 0:
		return fmt.Errorf("a run that has done %s cannot be restored: make a new one",
			wording.Count(r.done(), "round"))
	}
	b, err := io.ReadAll(from)
	if err != nil {
		return err
	}
	r.reason, err = r.restore(b)
	return err
}

// encode returns the checkpoint after the latest round.
func (h *history) encode() ([]byte, error) {
	switch {
	case h.resumable == nil:
		return nil, training.ErrNotResumable
	case len(h.header.Rounds) == 0:
		return nil, errors.New("a checkpoint is of the state after a round, and none is done")
	}
	h.facts()
	state := h.state
	if !h.resumable.Breaks() {
		var err error
		if state, err = h.resumable.State(); err != nil {
			return nil, err
		}
	}
	stop := h.evaluator.decides
	h.header.Round, h.header.Best, h.header.BestValue = len(h.header.Rounds), stop.round, exactFloat(stop.value)
	s := snapshot{h.header, state}
	return s.encode()
}
