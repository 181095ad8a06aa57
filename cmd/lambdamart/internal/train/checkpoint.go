package train

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/digits"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
)

// checkpointEnding follows the name of the model in that of its checkpoint.
const checkpointEnding = ".checkpoint"

// Checkpoints are the parameters of going on after an interruption.
type Checkpoints struct {
	Freq    int     // rounds between checkpoints
	Seconds float64 // between checkpoints
	Resume  string
}

const noResume = "false"

// defaultCheckpoints returns the default values.
func defaultCheckpoints() Checkpoints { return Checkpoints{Freq: -1, Seconds: 600, Resume: noResume} }

// Table returns the parameters, bound to c.
func (c *Checkpoints) Table() param.Table {
	return param.Table{
		{Name: "snapshot_freq", Aliases: []string{"save_period"}, Group: training.GroupTraining,
			Help:  "Iterations between checkpoints, from which resume= goes on (docs/checkpoints.md); below 1: none by iterations.",
			Value: param.Int(&c.Freq)},
		{Name: "snapshot_seconds", Group: training.GroupTraining,
			Help:  "Seconds between checkpoints; 0: none by time. A checkpoint is beside output_model until that is written.",
			Value: param.Float(&c.Seconds, param.AtLeast(0), param.AtMost(1e9))},
		{Name: "resume", Group: training.GroupTraining,
			Help:  "Go on from the checkpoint of output_model, to the same model as without the interruption: true; or auto, if there is one.",
			Value: param.Choice(&c.Resume, noResume, string(training.IfPresent), string(training.Required))},
	}
}

// checkpoints returns the checkpoints of the training; nil if there are none. It warns of those that
// are there and are not used.
func (r *run) checkpoints() (*training.Checkpoints, error) {
	c := &training.Checkpoints{Path: r.OutputModel + checkpointEnding, Rounds: r.Freq,
		Interval: time.Duration(r.Seconds * float64(time.Second)), Event: r.showCheckpoint}
	if r.Resume != noResume {
		c.Resume = training.Resume(r.Resume)
	}
	if info, err := os.Stat(r.OutputModel); r.OutputModel == "-" || err == nil && !info.Mode().IsRegular() {
		if c.Resume != training.Anew || c.Rounds > 0 || slices.Contains(r.given, "snapshot_seconds") && c.Interval > 0 {
			return nil, cli.Usagef("checkpoints (snapshot_freq, snapshot_seconds, resume) are beside output_model, which must be a file then")
		}
		return nil, nil
	}
	if files := c.Files(); c.Resume == training.Anew && len(files) > 0 {
		r.messages.Warn(fmt.Sprintf("%s is there, of a training that was interrupted; this one begins anew, and will replace it; resume=true goes on from it", files[0]))
	}
	if c.Rounds < 1 && c.Interval == 0 && c.Resume == training.Anew {
		c.RemoveLeft()
		return nil, nil
	}
	return c, nil
}

// showCheckpoint emits what happened to a checkpoint.
func (r *run) showCheckpoint(e training.CheckpointEvent) {
	switch e.Kind {
	case training.Unwritten:
		r.messages.Warn(fmt.Sprintf("the checkpoint after %d %s was not written: %v; training goes on", e.Round, r.Learner().Unit, e.Err))
	case training.Damaged:
		r.messages.Warn(fmt.Sprintf("%v; an older one is used if there is one", e.Err))
	default:
		r.messages.Emit(checkpointEvent{string(e.Kind), e.Path, e.Round, e.Bytes, r.Learner().Unit})
	}
}

// removeCheckpoints removes the checkpoints of a training whose model is written, unless it was
// cancelled: then it can go on.
func (r *run) removeCheckpoints(c *training.Checkpoints, stopped training.StopReason) {
	if c == nil || stopped == training.Cancelled {
		return
	}
	if err := c.Remove(); err != nil {
		r.messages.Warn("a checkpoint was not removed: " + strings.ReplaceAll(err.Error(), "\n", "; "))
	}
}

// checkpointEvent is a checkpoint that was written, or that training goes on from.
type checkpointEvent struct {
	What  string `json:"what"` // written, resumed or absent
	Path  string `json:"path"`
	Round int    `json:"iteration"`
	Bytes int    `json:"bytes"`
	unit  string
}

func (e checkpointEvent) Kind() string { return "checkpoint" }

// Level implements [cli.Event]. Checkpoints every few seconds would bury the other messages.
func (e checkpointEvent) Level() int {
	if e.What == string(training.Written) {
		return 2
	}
	return 1
}

func (e checkpointEvent) String() string {
	switch training.CheckpointKind(e.What) {
	case training.Resumed:
		return fmt.Sprintf("going on after %d %s, from %s", e.Round, e.unit, e.Path)
	case training.Absent:
		return fmt.Sprintf("there is no %s; training begins anew", e.Path)
	}
	return fmt.Sprintf("checkpoint after %d %s: %s (%s bytes)", e.Round, e.unit, e.Path, digits.Thousands(e.Bytes))
}
