package training

import (
	"fmt"
	"time"

	"github.com/lambdamart/lambdamart/metric"
	"github.com/lambdamart/lambdamart/ranks"
)

// keeper writes the checkpoints of a training, and brings it back to one. A nil keeper does nothing.
type keeper struct {
	*Checkpoints
	evaluator *Evaluator
	learner   Resumable

	header  checkpointHeader // of the rounds so far; without facts until the first checkpoint
	known   bool             // the header has facts
	written bool             // the files are of this training
	last    time.Time        // when the last checkpoint was written, or training began
	round   int              // of the last checkpoint
	pending []byte           // the learner's state after the latest round, if rounds may be done in part
}

// newKeeper returns the keeper of a training; nil if there are no checkpoints.
func newKeeper[M any](e *Evaluator, l Learner[M], c *Checkpoints) (*keeper, error) {
	if c == nil {
		return nil, nil
	}
	learner, ok := l.(Resumable)
	if !ok {
		return nil, fmt.Errorf("%w: %T", ErrNotResumable, l)
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	if e.ranks.Size() > 1 { // a learner may have checkpoints in one process only: find out now
		if _, err := learner.State(nil); err != nil {
			return nil, err
		}
	}
	return &keeper{Checkpoints: c, evaluator: e, learner: learner, last: time.Now()}, nil
}

// facts sets the facts of the header. It reads all data once, and is called when they are needed.
func (k *keeper) facts() error {
	if k.known {
		return nil
	}
	data, err := k.evaluator.facts()
	if err != nil {
		return err
	}
	k.header.Facts, k.known = append(k.learner.Facts(), data...), true
	return nil
}

// resume brings the training into the state of a checkpoint, if that is asked for, and returns the
// number of rounds that are done. It calls hook for each of them.
func (k *keeper) resume(hook func(Round)) (done int, err error) {
	if k == nil || k.Resume == Anew {
		return 0, nil
	}
	if k.Resume == IfPresent && !ranks.Any(k.evaluator.ranks, k.evaluator.ranks.Rank() == 0 && len(k.own()) > 0) {
		k.emit(CheckpointEvent{Kind: Absent, Path: k.Path})
		return 0, nil
	}
	s, event, err := k.readTogether()
	if err != nil {
		return 0, err
	}
	if err := k.facts(); err != nil {
		return 0, err
	}
	if all := differences(k.header.Facts, s.header.Facts); len(all) > 0 {
		return 0, &MismatchError{event.Path, all}
	}
	if err := k.restore(s); err != nil {
		return 0, fmt.Errorf("%s: %w", event.Path, err)
	}
	k.emit(event)
	if hook != nil {
		for number := range k.header.Rounds {
			hook(k.restored(number))
		}
	}
	return k.round, nil
}

// readTogether has rank 0 read the checkpoint, for all.
func (k *keeper) readTogether() (*snapshot, CheckpointEvent, error) {
	g := k.evaluator.ranks
	if g.Size() == 1 {
		return k.read()
	}
	var content []byte
	var event CheckpointEvent
	if g.Rank() == 0 {
		s, e, err := k.read()
		if err != nil {
			return nil, e, err
		}
		if content, err = s.encode(); err != nil {
			return nil, e, err
		}
		event = e
	}
	content = ranks.FromFirst(g, content)
	s, err := decodeSnapshot(content)
	if err != nil {
		return nil, event, err
	}
	event.Kind, event.Round = Resumed, s.header.Round
	return s, event, nil
}

// restore sets the state of the learner and of the evaluator.
func (k *keeper) restore(s *snapshot) error {
	h := &s.header
	if h.Round > k.evaluator.rounds {
		return fmt.Errorf("%w: it is of round %d of %d", ErrCheckpointDamaged, h.Round, k.evaluator.rounds)
	}
	if n := len(k.evaluator.sets) * len(k.evaluator.metrics); len(h.Judged) != 0 && len(h.Judged) != n {
		return fmt.Errorf("%w: it has %d metrics on sets, and there are %d", ErrCheckpointDamaged, len(h.Judged), n)
	}
	if err := k.learner.Restore(s.state, h.Round); err != nil {
		return err
	}
	for number := range h.Rounds {
		if means := h.Rounds[number].Means; len(means) > 0 {
			k.evaluator.seeOthers(number+1, func(place int) float64 { return float64(means[place]) })
		}
	}
	if h.Best > 0 {
		k.evaluator.stop.round, k.evaluator.stop.value = h.Best, float64(h.BestValue)
	}
	facts := k.header.Facts
	k.header = *h
	k.header.Facts = facts
	k.round, k.written, k.last = h.Round, true, time.Now()
	return nil
}

// restored returns a round that was done before, counted from 0.
func (k *keeper) restored(number int) Round {
	r := &k.header.Rounds[number]
	round := Round{Number: number + 1, Restored: true, Seconds: float64(r.Seconds), Leaves: r.Leaves,
		Loss: float64(r.Loss), LearningRate: float64(r.LearningRate), Documents: r.Documents}
	for i, mean := range r.Means {
		j := &k.header.Judged[i]
		round.Evaluations = append(round.Evaluations, Evaluation{j.Set, metric.Result{
			Metric: j.Metric, Convention: k.evaluator.metrics[i%len(k.evaluator.metrics)].Convention(), Rules: j.Rules,
			Mean: float64(mean), Queries: j.Queries, Empty: j.Empty, Single: j.Single, Tied: r.Tied[i], LeftOut: j.LeftOut, Weighted: j.Weighted,
			Weight: float64(j.Weight),
		}})
	}
	return round
}

// done notes a round, and writes a checkpoint if one is due.
func (k *keeper) done(r *Round) (err error) {
	if k == nil {
		return nil
	}
	k.note(r)
	if r.Number == k.evaluator.rounds {
		return nil
	}
	if k.learner.Breaks() {
		if k.pending, err = k.learner.State(k.pending[:0]); err != nil {
			return err
		}
	}
	due := k.Rounds > 0 && r.Number%k.Rounds == 0
	if !due && k.Interval > 0 { // by the clock of one rank
		due = ranks.Any(k.evaluator.ranks, k.evaluator.ranks.Rank() == 0 && time.Since(k.last) >= k.Interval)
	}
	if due {
		return k.save()
	}
	return nil
}

// cancelled writes the checkpoint of a training that was cancelled.
func (k *keeper) cancelled() error {
	if k == nil || k.round == len(k.header.Rounds) {
		return nil
	}
	return k.save()
}

// note adds a round to the header.
func (k *keeper) note(r *Round) {
	n := record{Seconds: exactFloat(r.Seconds), Leaves: r.Leaves, Loss: exactFloat(r.Loss), LearningRate: exactFloat(r.LearningRate), Documents: r.Documents}
	for _, e := range r.Evaluations {
		n.Means, n.Tied = append(n.Means, exactFloat(e.Result.Mean)), append(n.Tied, e.Result.Tied)
		if len(k.header.Judged) < len(r.Evaluations) {
			k.header.Judged = append(k.header.Judged, judged{e.Set, e.Result.Metric, e.Result.Rules,
				e.Result.Queries, e.Result.Empty, e.Result.Single, e.Result.LeftOut, e.Result.Weighted, exactFloat(e.Result.Weight)})
		}
	}
	k.header.Rounds = append(k.header.Rounds, n)
}

// encode returns the checkpoint after the latest round.
func (k *keeper) encode() ([]byte, error) {
	if err := k.facts(); err != nil {
		return nil, err
	}
	state := k.pending
	if !k.learner.Breaks() {
		var err error
		if state, err = k.learner.State(nil); err != nil {
			return nil, err
		}
	}
	stop := &k.evaluator.stop
	k.header.Round, k.header.Best, k.header.BestValue = len(k.header.Rounds), stop.round, exactFloat(stop.value)
	s := snapshot{k.header, state}
	return s.encode()
}

// save writes a checkpoint after the latest round. If Event is there to be called, training survives a
// disk that is full.
func (k *keeper) save() error {
	b, err := k.encode()
	if err != nil {
		return err
	}
	event := CheckpointEvent{Kind: Written, Path: k.Path, Round: len(k.header.Rounds), Bytes: len(b)}
	if k.evaluator.ranks.Rank() == 0 { // the state is the same on all ranks
		err = k.write(b, !k.written)
	}
	k.last = time.Now()
	switch {
	case err != nil && k.Event == nil:
		return err
	case err != nil:
		event.Kind, event.Err = Unwritten, err
	default:
		k.written, k.round = true, event.Round
	}
	k.emit(event)
	return nil
}

// emit calls Event, if there is one.
func (k *keeper) emit(e CheckpointEvent) {
	if k.Event != nil {
		k.Event(e)
	}
}
