package crossval

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/lambdamart/lambdamart/booster"
	"github.com/lambdamart/lambdamart/internal/kept"
	"github.com/lambdamart/lambdamart/io/model/lightgbm"
	"github.com/lambdamart/lambdamart/training"
)

// Keep says where a run keeps what is done, so that the same run continues after an interruption: a file
// for each finished fold, and checkpoints of the others. Names have a hash of all that a fold depends on,
// so that runs with other parameters or data do not meet.
type Keep struct {
	Folder   string        // made if it is not there
	Interval time.Duration // between checkpoints; 0: only when the context is cancelled
	Program  string        // name and version of the program; folds of another one are not taken over

	// Done is called once, with the number of folds that earlier runs have finished; it may be nil.
	Done func(folds int)
}

// keeper keeps the folds of one run. A nil keeper does nothing.
type keeper struct {
	*Keep
	key   string
	names []string
}

// keptFold is a finished fold in a file.
type keptFold struct {
	Values  []float64 `json:"values"` // of the metric after each iteration
	Seconds float64   `json:"seconds"`
	Stopped string    `json:"stopped"`
	Model   string    `json:"model"` // text of all trees
}

// begin makes the folder and returns the keeper of a run; nil if nothing is to be kept.
func (k *Keep) begin(p *booster.Params, d booster.Data, folds Folds) (*keeper, error) {
	if k == nil {
		return nil, nil
	}
	if err := os.MkdirAll(k.Folder, 0o777); err != nil {
		return nil, err
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%q %q %q\n", k.Program, training.ParameterFacts(p.Table()), folds.Names)
	fmt.Fprintln(hash, folds.Of)
	Identify(hash, d, p.NumThreads)
	return &keeper{k, fmt.Sprintf("%x", hash.Sum(nil))[:16], folds.Names}, nil
}

// path returns the name of a file of a fold.
func (k *keeper) path(fold int, ending string) string {
	return filepath.Join(k.Folder, fmt.Sprintf("fold%d.%s%s", fold+1, k.key, ending))
}

// checkpoints returns the checkpoints of a fold's training.
func (k *keeper) checkpoints(fold int) *training.Checkpoints {
	return &training.Checkpoints{Path: k.path(fold, ".checkpoint"), Interval: k.Interval, Resume: training.IfPresent,
		Event: func(training.CheckpointEvent) {}} // a checkpoint that cannot be written or read only costs time
}

// load gives the training the folds that earlier runs have finished.
func (k *keeper) load(t *Training) error {
	if k == nil {
		return nil
	}
	done := 0
	for fold, r := range t.parts {
		found, err := k.read(fold)
		if err != nil {
			return err
		}
		if found == nil {
			continue
		}
		r.values, r.seconds, r.ended = found.Values, found.Seconds, true
		r.stopped = training.StopReason(found.Stopped)
		if r.model, err = lightgbm.Read(strings.NewReader(found.Model)); err != nil {
			return fmt.Errorf("%s: %w; remove it, and the fold is trained again", k.path(fold, ".json"), err)
		}
		done++
	}
	if k.Done != nil {
		k.Done(done)
	}
	return nil
}

// read reads a finished fold; nil if there is none.
func (k *keeper) read(fold int) (*keptFold, error) {
	path, f := k.path(fold, ".json"), &keptFold{}
	err := kept.Read(path, k.key, f)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && len(f.Values) == 0 {
		err = kept.ErrIncomplete
	}
	if err != nil {
		return nil, fmt.Errorf("%s: not a finished fold of this run: %w; remove it, and the fold is trained again", path, err)
	}
	return f, nil
}

// save writes a fold that is finished, and removes its checkpoints.
func (k *keeper) save(fold int, r *running) error {
	if k == nil {
		return nil
	}
	var text strings.Builder
	if err := lightgbm.Write(&text, r.model); err != nil {
		return err
	}
	done := keptFold{r.values, r.seconds, string(r.stopped), text.String()}
	if err := kept.Write(k.path(fold, ".json"), k.key, done); err != nil {
		return err
	}
	return k.checkpoints(fold).Remove()
}
