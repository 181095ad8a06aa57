package training

import (
	"errors"
	"fmt"
	"time"

	"github.com/lambdamart/lambdamart/dataset"
)

// keeper writes the checkpoints of a run when they are due, and restores the run from
// one. A nil keeper does nothing.
type keeper struct {
	*Checkpoints
	history *history
	part    *dataset.Part // of the training data
	last    time.Time     // when the last checkpoint was written, or the run began
	round   int           // of the last checkpoint
}

// newKeeper returns the keeper of a run whose learner is resumable.
func newKeeper(c *Checkpoints, h *history) (*keeper, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	k := &keeper{Checkpoints: c, history: h, part: h.evaluator.part, last: time.Now()}
	if k.part.Group().Size() > 1 { // the learner may have checkpoints in one process only: find out now
		if _, err := h.resumable.State(); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// resume restores the run from a checkpoint, if Resume asks for it, and returns why the run that wrote it had
// ended; empty if it had not.
func (k *keeper) resume() (StopReason, error) {
	g := k.part.Group()
	if k.Resume == Anew {
		return "", nil
	}
	if k.Resume == IfPresent && !g.Any(g.Rank() == 0 && k.exists()) {
		k.emit(CheckpointEvent{Kind: Absent, Path: k.Path})
		return "", nil
	}
	var content []byte
	if g.Rank() == 0 {
		var err error
		if content, err = k.read(); err != nil {
			return "", err
		}
	}
	content = g.FromFirst(content)
	reason, err := k.history.restore(content)
	var mismatch *mismatchError
	switch {
	case errors.As(err, &mismatch):
		mismatch.path = k.Path
		return "", mismatch
	case errors.Is(err, ErrCheckpointDamaged):
		return "", fmt.Errorf("%s: %w; remove it to start from the beginning", k.Path, err)
	case err != nil:
		return "", fmt.Errorf("%s: %w", k.Path, err)
	}
	k.round, k.last = len(k.history.header.Rounds), time.Now()
	k.emit(CheckpointEvent{Kind: Resumed, Path: k.Path, Round: k.round, Bytes: len(content)})
	return reason, nil
}

// saveIfDue writes a checkpoint after the latest round, if it is due.
func (k *keeper) saveIfDue() error {
	if k == nil {
		return nil
	}
	done := len(k.history.header.Rounds)
	if done == k.round || done == k.history.evaluator.rounds {
		return nil
	}
	due := k.Rounds > 0 && done%k.Rounds == 0
	if !due && k.Interval > 0 { // by the clock of one rank
		due = k.part.Group().Any(k.part.Group().Rank() == 0 && time.Since(k.last) >= k.Interval)
	}
	if due {
		return k.save()
	}
	return nil
}

// saveLatest writes a checkpoint after the latest round, unless it exists already.
func (k *keeper) saveLatest() error {
	if k == nil || !k.part.Group().Any(k.part.Group().Rank() == 0 && k.round != len(k.history.header.Rounds)) {
		return nil
	}
	return k.save()
}

// save writes a checkpoint after the latest round. If Event is set, a failure, such as a full disk, is
// reported to it and training continues.
func (k *keeper) save() error {
	b, err := k.history.encode()
	if err != nil {
		return err
	}
	event := CheckpointEvent{Kind: Written, Path: k.Path, Round: len(k.history.header.Rounds), Bytes: len(b)}
	if k.part.Group().Rank() == 0 { // the state is the same on all ranks
		err = k.write(b)
	}
	k.last = time.Now()
	switch {
	case err != nil && k.Event == nil:
		return err
	case err != nil:
		event.Kind, event.Err = Unwritten, err
	default:
		k.round = event.Round
	}
	k.emit(event)
	return nil
}

// emit calls Event, unless it is nil.
func (k *keeper) emit(e CheckpointEvent) {
	if k.Event != nil {
		k.Event(e)
	}
}
