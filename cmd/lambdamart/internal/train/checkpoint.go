package train

import (
	"cmp"
	"os"
	"slices"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/cli"
	"github.com/lambdamart/lambdamart/cmd/lambdamart/internal/learner"
	"github.com/lambdamart/lambdamart/training"
)

// checkpointEnding follows the name of the model in that of its checkpoint.
const checkpointEnding = ".checkpoint"

// checkpoints returns the checkpoints of the training; nil if there are none.
func (r *run) checkpoints() (*training.Checkpoints, error) {
	c := r.At(cmp.Or(r.Path, r.OutputModel+checkpointEnding), r.Learner().Unit, r.messages)
	if r.Path == "" && !isFile(r.OutputModel) {
		if c.Resume != training.Anew || c.Rounds > 0 || r.asksFor(c) {
			return nil, cli.Usagef("checkpoints (snapshot_freq, snapshot_seconds, resume) are beside output_model, " +
				"which must be a file then; or name their file: checkpoint=FILE")
		}
		return nil, nil
	}
	if r.ranks.Size() > 1 && r.Trees.Boosting == booster.DART && !slices.Contains(r.given, "snapshot_seconds") {
		c.Interval = 0 // by default there are none where they cannot be
	}
	if !learner.Needed(c, r.messages) {
		if r.ranks.Rank() == 0 {
			c.RemoveLeft()
		}
		return nil, nil
	}
	return c, nil
}

// asksFor reports whether the user asks for checkpoints by time.
func (r *run) asksFor(c *training.Checkpoints) bool {
	return slices.Contains(r.given, "snapshot_seconds") && c.Interval > 0
}

// isFile reports whether a path is a file, or nothing yet: not standard output or a device.
func isFile(path string) bool {
	info, err := os.Stat(path)
	return path != "-" && (err != nil || info.Mode().IsRegular())
}
