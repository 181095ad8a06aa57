package training

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/lambdamart/lambdamart/internal/stream"
)

// Checkpoints sets when a training run stores its state in a file, and whether it resumes from one. A run
// that continues gives the same model, byte for byte, as one that was not interrupted, with any number of
// threads and on any machine. docs/production.md describes the files.
//
// A checkpoint appears at Path, in place of the one before it, only when it is complete and on the disk, so
// that a kill or a full disk leaves the one before. A run whose context is canceled writes one more.
// Checkpoints stay when training ends: call Remove when the model is safe.
type Checkpoints struct {
	Path string
	// number of rounds from one checkpoint to the next; below 1: the number of rounds does not matter
	Rounds   int
	Interval time.Duration // a checkpoint is due this long after the last one, after a round; 0: never

	Resume string // whether the run continues from a checkpoint: Anew, IfPresent or Required

	// Event is called after a checkpoint was written, could not be written, or was read. If it is nil, a
	// checkpoint that cannot be written ends training with an error; otherwise training continues.
	Event func(CheckpointEvent)
}

// The values of Checkpoints.Resume. With IfPresent and Required, a checkpoint of other data or parameters is
// an error that wraps [ErrCheckpointMismatch]; Anew reads no checkpoint.
const (
	Anew      = ""     // begin with round 1, and replace checkpoints that are there
	IfPresent = "auto" // continue from a checkpoint if there is one
	Required  = "true" // continue from a checkpoint; it is an error if there is none
)

// CheckpointEvent describes what happened to a checkpoint.
type CheckpointEvent struct {
	Kind  string
	Path  string
	Round int   // round of the checkpoint; 0 if it is not known
	Bytes int   // length of the file; 0 if it is not known
	Err   error // if Kind is Unwritten
}

// The kinds of a [CheckpointEvent].
const (
	Written   = "written"
	Unwritten = "unwritten" // the disk is full, for example; training continues
	Resumed   = "resumed"   // training continues after the round
	Absent    = "absent"    // there is none to continue from; training starts from the beginning
)

// Errors about checkpoints, to be matched by [errors.Is].
var (
	// ErrNoCheckpoint means that there is no checkpoint to continue from.
	ErrNoCheckpoint = errors.New("there is no checkpoint to continue from")
	// ErrCheckpointDamaged means that a file is not a checkpoint, or that its bytes have changed.
	ErrCheckpointDamaged = errors.New("the checkpoint is damaged")
	// ErrCheckpointMismatch means that a checkpoint was written by a training run with other data or
	// parameters. The error that wraps it lists the differences, such as "num_leaves is 63, and was 31".
	ErrCheckpointMismatch = errors.New("the checkpoint is of another training run")
	// ErrCheckpointVersion means that another version of this package wrote a checkpoint.
	ErrCheckpointVersion = errors.New("the checkpoint has the form of another version")
	// ErrNotResumable means that the state of a run cannot be stored.
	ErrNotResumable = errors.New("this learner has no checkpoints")
)

// partEnding comes before the number of a part at the end of the names of its checkpoints.
const partEnding = ".model"

// Part returns the checkpoints of part number, from 1, of a training run, such as a model of an ensemble.
// Files and Remove of c include the checkpoints of parts.
func (c *Checkpoints) Part(number int) *Checkpoints {
	part := *c
	part.Path = fmt.Sprint(c.Path, partEnding, number)
	return &part
}

// parts returns the checkpoints of all parts that have one.
func (c *Checkpoints) parts() (parts []*Checkpoints) {
	entries, _ := os.ReadDir(filepath.Dir(c.Path)) // in the order of their names
	for _, e := range entries {
		number, _ := strings.CutPrefix(e.Name(), filepath.Base(c.Path)+partEnding)
		n, _ := strconv.Atoi(number) // 0 if it is none
		if part := c.Part(n); filepath.Base(part.Path) == e.Name() {
			parts = append(parts, part)
		}
	}
	return parts
}

// Files returns the checkpoints that exist.
func (c *Checkpoints) Files() (files []string) {
	if _, err := os.Stat(c.Path); err == nil {
		files = append(files, c.Path)
	}
	for _, part := range c.parts() {
		files = append(files, part.Path)
	}
	return files
}

// Remove deletes all checkpoints, complete or not.
func (c *Checkpoints) Remove() error {
	stream.RemoveLeft(c.Path)
	var errs []error
	for _, path := range c.Files() {
		stream.RemoveLeft(path)
		errs = append(errs, os.Remove(path))
	}
	return errors.Join(errs...)
}
