package learner

import (
	"fmt"
	"strings"
	"time"

	"github.com/lambdamart/lambdamart/internal/digits"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/study"
	"github.com/lambdamart/lambdamart/training"
)

// Checkpoints are the parameters of continuing after an interruption.
type Checkpoints struct {
	Path    string  // empty: beside the model
	Freq    int     // rounds between checkpoints
	Seconds float64 // between checkpoints
	Resume  string
}

const noResume = "false"

// DefaultCheckpoints returns the default values.
func DefaultCheckpoints() Checkpoints { return Checkpoints{Freq: -1, Seconds: 600, Resume: noResume} }

// Table returns the parameters, bound to c.
func (c *Checkpoints) Table() param.Table {
	return param.Table{
		{Name: "checkpoint", Group: training.GroupTraining, File: param.Written,
			Help:  "File of the checkpoints; without it, the name of output_model with .checkpoint at its end.",
			Value: param.Text(&c.Path)},
		{Name: "snapshot_freq", Aliases: []string{"save_period"}, Group: training.GroupTraining,
			Help: "Iterations between checkpoints, from which resume= continues (docs/checkpoints.md); below 1: " +
				"none by iterations.",
			Value: param.Int(&c.Freq)},
		{Name: "snapshot_seconds", Group: training.GroupTraining,
			Help: "Seconds between checkpoints; 0: none by time. A checkpoint is beside output_model until that " +
				"is written.",
			Value: param.Float(&c.Seconds, param.AtLeast(0), param.AtMost(1e9))},
		{Name: "resume", Group: training.GroupTraining,
			Help: "Continue from the checkpoint of output_model, which gives the same model as without the " +
				"interruption. true: there must be one; auto: if there is one.",
			Value: param.Choice(&c.Resume, noResume, string(training.IfPresent), string(training.Required))},
	}
}

// At returns the checkpoints of a training, the newest of them at path. log gets what happens to them;
// unit is the word for rounds.
func (c *Checkpoints) At(path, unit string, log Log) *training.Checkpoints {
	t := &training.Checkpoints{Path: path, Rounds: c.Freq,
		Interval: time.Duration(c.Seconds * float64(time.Second)),
		Event:    func(e training.CheckpointEvent) { showCheckpoint(e, unit, log) }}
	if c.Resume != noResume {
		t.Resume = training.Resume(c.Resume)
	}
	return t
}

// Log takes what is to be said of a training: a console, or the parent of a worker.
type Log interface {
	Warn(text string)
	Note(text string)
	Emit(e study.Event)
}

// Needed reports whether there is anything to do for checkpoints. It warns of those that are there and
// are not used.
func Needed(c *training.Checkpoints, log Log) bool {
	if files := c.Files(); c.Resume == training.Anew && len(files) > 0 {
		log.Warn(fmt.Sprintf("%s is there, of a training that was interrupted; this one starts from the "+
			"beginning, and will replace it; resume=true continues from it", files[0]))
	}
	return c.Rounds > 0 || c.Interval > 0 || c.Resume != training.Anew
}

// Remove removes the checkpoints of a training whose model is safe, unless it was cancelled: then it
// can continue.
func Remove(c *training.Checkpoints, stopped training.StopReason, log Log) {
	if c == nil || stopped == training.Cancelled {
		return
	}
	if err := c.Remove(); err != nil {
		log.Warn("a checkpoint was not removed: " + strings.ReplaceAll(err.Error(), "\n", "; "))
	}
}

func showCheckpoint(e training.CheckpointEvent, unit string, log Log) {
	switch e.Kind {
	case training.Unwritten:
		log.Warn(fmt.Sprintf("the checkpoint after %d %s was not written: %v; training continues", e.Round, unit,
			e.Err))
	case training.Damaged:
		log.Warn(fmt.Sprintf("%v; an older one is used if there is one", e.Err))
	default:
		log.Emit(checkpointEvent{string(e.Kind), e.Path, e.Round, e.Bytes, unit})
	}
}

// checkpointEvent is a checkpoint that was written, or that training continues from.
type checkpointEvent struct {
	What  string `json:"what"` // written, resumed or absent
	Path  string `json:"path"`
	Round int    `json:"iteration"`
	Bytes int    `json:"bytes"`
	unit  string
}

func (e checkpointEvent) Kind() string { return "checkpoint" }

// Level implements [study.Event]. Checkpoints every few seconds would bury the other messages.
func (e checkpointEvent) Level() int {
	if e.What == string(training.Written) {
		return 2
	}
	return 1
}

func (e checkpointEvent) String() string {
	switch training.CheckpointKind(e.What) {
	case training.Resumed:
		return fmt.Sprintf("continuing after %d %s, from %s", e.Round, e.unit, e.Path)
	case training.Absent:
		return fmt.Sprintf("there is no %s; training starts from the beginning", e.Path)
	}
	return fmt.Sprintf("checkpoint after %d %s: %s (%s bytes)", e.Round, e.unit, e.Path,
		digits.Thousands(e.Bytes))
}
