package train

import (
	"cmp"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/internal/bind"
	"github.com/lambdamart/lambdamart/internal/rounds"
	"github.com/lambdamart/lambdamart/internal/stream"
	"github.com/lambdamart/lambdamart/internal/wording"
	"github.com/lambdamart/lambdamart/param"
	"github.com/lambdamart/lambdamart/training"
)

// checkpointEnding is appended to the name of the model to name its checkpoint.
const checkpointEnding = ".checkpoint"

// newCheckpoints returns the checkpoints of the run, or nil if there are none.
func (r *run) newCheckpoints() (*training.Checkpoints, error) {
	c := &training.Checkpoints{Path: cmp.Or(r.Path, r.OutputModel+checkpointEnding), Rounds: r.Freq,
		Interval: time.Duration(r.Seconds * float64(time.Second)), Event: r.showCheckpoint}
	if r.Resume != noResume {
		c.Resume = r.Resume
	}
	byTime := slices.Contains(r.Given, "snapshot_seconds")
	if r.Path == "" && !isFile(r.OutputModel) {
		if c.Resume != training.Anew || c.Rounds > 0 || byTime && c.Interval > 0 {
			return nil, cli.Usagef("checkpoints (snapshot_freq, snapshot_seconds, resume) are beside output_model, " +
				"which must be a file then; or name their file: checkpoint=FILE")
		}
		return nil, nil
	}
	if r.Peers.Size() > 1 && r.Trees.Boosting == booster.DART && !byTime {
		c.Interval = 0 // no checkpoints by default, because they cannot be written
	}
	if files := c.Files(); c.Resume == training.Anew && len(files) > 0 {
		r.Messages.Warn(fmt.Sprintf("%s exists, from a training run that was interrupted; this one starts from "+
			"the beginning, and will replace it; resume=true continues from it", files[0]))
	}
	if c.Rounds > 0 || c.Interval > 0 || c.Resume != training.Anew {
		return c, nil
	}
	if r.Peers.Rank() == 0 {
		stream.RemoveLeft(c.Path) // as a run with checkpoints does by itself
	}
	return nil, nil
}

// isFile reports whether a path is a file or does not exist, as opposed to standard output or a device.
func isFile(path string) bool {
	info, err := os.Stat(path)
	return path != "-" && (err != nil || info.Mode().IsRegular())
}

// Checkpoints holds the parameters for continuing after an interruption.
type Checkpoints struct {
	Path    string  // empty: beside the model
	Freq    int     // rounds between checkpoints
	Seconds float64 // between checkpoints
	Resume  string
}

const noResume = "false"

// Table returns the parameters, bound to c.
func (c *Checkpoints) Table() param.Table {
	return param.Table{
		{Name: "checkpoint", Group: rounds.GroupTraining, File: param.Written,
			Help:  "File of the checkpoints; without it, the name of output_model with .checkpoint at its end.",
			Value: cli.OwnFile(&c.Path)},
		{Name: "snapshot_freq", Aliases: []string{"save_period"}, Group: rounds.GroupTraining,
			Help: "Iterations between checkpoints, from which resume= continues (docs/production.md); below 1: " +
				"none by iterations.",
			Value: bind.Int(&c.Freq)},
		{Name: "snapshot_seconds", Group: rounds.GroupTraining,
			Help: "Seconds between checkpoints; 0: none by time. A checkpoint is beside output_model until that " +
				"is written.",
			Value: bind.Float(&c.Seconds, bind.AtLeast(0), bind.AtMost(1e9))},
		{Name: "resume", Group: rounds.GroupTraining,
			Help: "Continue from the checkpoint of output_model, which gives the same model as without the " +
				"interruption. true: there must be one; auto: if there is one.",
			Value: bind.Choice(&c.Resume, noResume, training.IfPresent, training.Required)},
	}
}

// removeCheckpoints removes the checkpoints of a training run whose model is safe, unless it was canceled
// and can continue.
func (r *run) removeCheckpoints(stopped training.StopReason) {
	if r.checkpoints == nil || stopped == training.Canceled {
		return
	}
	if err := r.checkpoints.Remove(); err != nil {
		r.Messages.Warn("a checkpoint was not removed: " + strings.ReplaceAll(err.Error(), "\n", "; "))
	}
}

// showCheckpoint reports that a checkpoint was written, or from where training continues.
func (r *run) showCheckpoint(e training.CheckpointEvent) {
	unit, level, text := r.Learner().Unit, slog.LevelInfo, ""
	switch e.Kind {
	case training.Unwritten:
		r.Messages.Warn(fmt.Sprintf("the checkpoint after %d %s was not written: %v; training continues", e.Round,
			unit, e.Err))
		return
	case training.Resumed:
		text = fmt.Sprintf("continuing after %d %s, from %s", e.Round, unit, e.Path)
	case training.Absent:
		text = fmt.Sprintf("there is no %s; training starts from the beginning", e.Path)
	case training.Written: // messages about checkpoints by time would hide the others
		level, text = slog.LevelDebug, fmt.Sprintf("checkpoint after %d %s: %s (%s bytes)", e.Round, unit, e.Path,
			wording.Thousands(e.Bytes))
	}
	r.Messages.SayAt(level, "checkpoint", text, "what", e.Kind, "path", e.Path, "iteration", e.Round,
		"bytes", e.Bytes)
}
