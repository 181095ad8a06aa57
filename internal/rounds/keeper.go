package rounds

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/lambdamart/lambdamart/dataset"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/training"
)

// keeper writes the checkpoints of a run when they are due, and restores the run from
// one. A nil keeper does nothing.
type keeper struct {
	*training.Checkpoints
	history *history
	part    *dataset.Part // of the training data
	last    time.Time     // when the last checkpoint was written, or the run began
	round   int           // of the last checkpoint
}

// newKeeper returns the keeper of a run whose learner is resumable.
func newKeeper(c *training.Checkpoints, h *history) (*keeper, error) {
	k := &keeper{Checkpoints: c, history: h, part: h.evaluator.part, last: time.Now()}
	if err := k.check(); err != nil {
		return nil, err
	}
	if k.part.Group().Size() > 1 { // the learner may have checkpoints in one process only: find out now
		if _, err := h.resumable.State(); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// resume restores the run from a checkpoint, if Resume asks for it, and returns why the run that wrote it had
// ended; empty if it had not.
func (k *keeper) resume() (training.StopReason, error) {
	g := k.part.Group()
	if k.Resume == training.Anew {
		return "", nil
	}
	_, err := os.Stat(k.Path)
	if k.Resume == training.IfPresent && !g.Any(g.Rank() == 0 && err == nil) {
		k.emit(training.CheckpointEvent{Kind: training.Absent, Path: k.Path})
		return "", nil
	}
	var content []byte
	if g.Rank() == 0 {
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
	case errors.Is(err, training.ErrCheckpointDamaged):
		return "", fmt.Errorf("%s: %w; remove it to start from the beginning", k.Path, err)
	case err != nil:
		return "", fmt.Errorf("%s: %w", k.Path, err)
	}
	k.round, k.last = len(k.history.header.Rounds), time.Now()
	k.emit(training.CheckpointEvent{Kind: training.Resumed, Path: k.Path, Round: k.round, Bytes: len(content)})
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
	if !due && k.Interval > 0 { // by the clock of one peer
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
	event := training.CheckpointEvent{Kind: training.Written, Path: k.Path, Round: len(k.history.header.Rounds),
		Bytes: len(b)}
	if k.part.Group().Rank() == 0 { // the state is the same on all peers
		err = stream.WriteFile(k.Path, func(w io.Writer) error {
			_, err := w.Write(b)
			return err
		})
	}
	k.last = time.Now()
	switch {
	case err != nil && k.Event == nil:
		return err
	case err != nil:
		event.Kind, event.Err = training.Unwritten, err
	default:
		k.round = event.Round
	}
	k.emit(event)
	return nil
}

// emit calls Event, unless it is nil.
func (k *keeper) emit(e training.CheckpointEvent) {
	if k.Event != nil {
		k.Event(e)
	}
}

// mismatchError is the error for a checkpoint that was written by a training run
// with other data or parameters.
type mismatchError struct {
	path        string   // empty if it was not read from a file
	differences []string // such as "num_leaves is 63, and was 31"
}

func (e *mismatchError) Is(target error) bool { return target == training.ErrCheckpointMismatch }

func (e *mismatchError) Error() string {
	return fmt.Sprintf("%s is of another training: %s; use what it was begun with, or remove it to start "+
		"from the beginning", cmp.Or(e.path, "the checkpoint"), strings.Join(e.differences, "; "))
}

// check returns an error for checkpoints that cannot be written.
func (k *keeper) check() error {
	switch k.Resume {
	case training.Anew, training.IfPresent, training.Required:
	default:
		return fmt.Errorf("Checkpoints.Resume=%q: want %q, %q or nothing", k.Resume, training.IfPresent,
			training.Required)
	}
	if k.Path == "" {
		return errors.New("Checkpoints.Path is empty; name a file")
	}
	if info, err := os.Stat(k.Path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("the checkpoint %s is not a regular file; name another one", k.Path)
	}
	if info, err := os.Stat(filepath.Dir(k.Path)); err != nil || !info.IsDir() {
		return fmt.Errorf("the checkpoint %s cannot be written: its folder does not exist", k.Path)
	}
	return nil
}

// read returns the bytes of the checkpoint. The error wraps [training.ErrNoCheckpoint] if there is none.
func (k *keeper) read() ([]byte, error) {
	b, err := os.ReadFile(k.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", k.Path, training.ErrNoCheckpoint)
	}
	return b, err
}
